/** Colours by name instead of kind: names with the longest times get one each, and the rest a pale one. */

import { shortKernelName } from '../../../core/explain/figures/kernelName.ts';
import { rememberedBy } from '../../../core/rememberedBy.ts';
import { type RowKind, rowKinds } from '../../../core/trace/trace.ts';
import { type PaintCode, type PaintName, paintCode, paintNames } from '../../common/palette.ts';
import type { IterationView } from '../../store/opened/loadedRun.ts';

export interface NameTones {
  /** Paint of each name in the trace's table. */
  readonly codes: Uint8Array;
  /** Names with their own colour, the longest time first. */
  readonly named: readonly { readonly name: string; readonly label: string; readonly paint: PaintName }[];
}

const devicePaints: readonly PaintName[] = ['h2d', 'kernel', 'd2h', 'd2d', 'memset'];
const hostPaints: readonly PaintName[] = ['host-work', 'host-call', 'h2h'];
const rest: PaintName = 'host-sync';
const onDevice: readonly RowKind[] = ['kernel', 'copy', 'memset', 'host-function'];
/** A name that covers a larger share surrounds everything else, so a colour for it would say nothing. */
const mostShare = 0.9;

export const nameTones = rememberedBy((view: IterationView): NameTones => {
  const { columns, names } = view.run.trace;
  const [device, host] = [new Float64Array(names.length), new Float64Array(names.length)];
  const kernels = new Set<number>();
  for (let row = view.rows.from; row < view.rows.to; row += 1) {
    const kind = rowKinds[columns.kind[row] ?? 0] ?? 'host-range';
    const [totals, name] = [onDevice.includes(kind) ? device : host, columns.name[row] ?? -1];
    if (kind === 'kernel') kernels.add(name);
    if (name >= 0) totals[name] = (totals[name] as number) + (columns.durationNs[row] as number);
  }
  const named = [
    ...longest(device, devicePaints, Number.POSITIVE_INFINITY),
    ...longest(host, hostPaints, mostShare * view.makespanNs),
  ];
  const codes = new Uint8Array(names.length).fill(paintNames.indexOf(rest));
  for (const { name, paint } of named) codes[name] = paintNames.indexOf(paint);
  return { codes, named: named.map((one) => described(one, names, kernels)) };
});

interface Named {
  readonly name: number;
  readonly paint: PaintName;
}

/** Adds the label for the legend: a kernel's short name. */
function described({ name, paint }: Named, names: readonly string[], kernels: ReadonlySet<number>) {
  const full = names[name] ?? '';
  return { name: full, label: kernels.has(name) ? shortKernelName(full) : full, paint };
}

function longest(totals: Float64Array, paints: readonly PaintName[], most: number) {
  return [...totals.keys()]
    .filter((name) => (totals[name] as number) > 0 && (totals[name] as number) < most)
    .sort((a, b) => (totals[b] as number) - (totals[a] as number))
    .slice(0, paints.length)
    .map((name, at) => ({ name, paint: paints[at] ?? rest }));
}

/** Returns the paint of a row by its name if tones are given, else by its kind. */
export const toneOf = (trace: IterationView['run']['trace'], row: number, tones: Uint8Array | null): PaintCode =>
  tones === null ? paintCode(trace, row) : (tones[trace.columns.name[row] ?? -1] ?? 0);
