import { at, type Situation } from './situation.ts';

/** Returns the numbers of all operations that name the buffer, except groups. */
export function usersOf({ experiment, program }: Situation, buffer: string): number[] {
  return program.operations.flatMap(({ op, path }) => {
    const { operations: _, label: __, ...fields } = at(experiment, path) as Record<string, unknown>;
    return names(fields, buffer) ? [op] : [];
  });
}

const names = (fields: Readonly<Record<string, unknown>>, buffer: string): boolean =>
  ['buffer', 'src', 'dst'].some((field) => fields[field] === buffer) ||
  ['reads', 'writes'].some((field) => (fields[field] as readonly string[] | undefined)?.includes(buffer) === true);
