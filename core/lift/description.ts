/** Description of a lifted experiment. */

export const liftedDescription = (
  trace: string,
  changes: readonly string[],
  inferred: readonly string[],
  caution: string | null,
): string =>
  [
    `Lifted from the trace ${trace}, without what the profiler cost.`,
    ...(changes.length === 0 ? [] : [`Changed: ${changes.join(', ')}.`]),
    ...(caution === null ? [] : [caution]),
    ...inferred,
    'Copyscope infers which kernel reads a copy: the next one in its stream.',
  ].join('\n');
