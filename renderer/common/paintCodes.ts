/** Paint of a row as a small number, without strings, since it is read tens of thousands of times per frame. */
import { copyDirection, memoryKinds, type RowIndex, rowKinds, type Trace } from '../../core/trace/trace.ts';
import { type PaintName, paintNames, paintOf } from './palette.ts';

/** Index into paintNames. */
export type PaintCode = number;

const copyCode = rowKinds.indexOf('copy');
const unknown = 255;
const codeOf = (name: PaintName): PaintCode => paintNames.indexOf(name);
const kindPaints = Uint8Array.from(rowKinds, (kind) => codeOf(paintOf(kind, null)));
const copyPaints = Uint8Array.from(
  memoryKinds.flatMap((src) =>
    memoryKinds.map((dst) => {
      const direction = copyDirection(src, dst);
      return direction === null ? unknown : codeOf(paintOf('copy', direction));
    }),
  ),
);

export function paintCode({ columns, lanes }: Trace, row: RowIndex): PaintCode {
  const kind = columns.kind[row] as number;
  if (kind !== copyCode) return kindPaints[kind] as number;
  const memory = (columns.srcMemory[row] as number) * memoryKinds.length + (columns.dstMemory[row] as number);
  const code = copyPaints[memory] as number;
  if (code !== unknown) return code;
  return codeOf(paintOf('copy', lanes[columns.engine[row] as number]?.direction ?? null));
}

export const paintOfRow = (trace: Trace, row: RowIndex): PaintName => paintNames[paintCode(trace, row)] ?? 'mark';
