import type { Data } from 'apache-arrow';
import { damaged } from './problems.ts';

/** Returns a numeric column as one typed array: a view on the file if it has one batch, else a copy. */
export function readNumbers(
  name: string,
  chunks: readonly Data[],
  count: number,
  type: 'Int32' | 'Float64',
): Int32Array | Float64Array {
  const parts = chunks.map((chunk) => values(name, chunk, type));
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const whole = type === 'Int32' ? new Int32Array(count) : new Float64Array(count);
  let row = 0;
  for (const part of parts) {
    whole.set(part, row);
    row += part.length;
  }
  return whole;
}

function values(name: string, chunk: Data, type: 'Int32' | 'Float64'): Int32Array | Float64Array {
  const given: unknown = chunk.values;
  const fits = type === 'Int32' ? given instanceof Int32Array : given instanceof Float64Array;
  if (!fits || chunk.offset !== 0) throw damaged(name, `the column holds no ${type} values.`);
  const numbers = given as Int32Array | Float64Array;
  if (numbers.length < chunk.length) throw damaged(name, 'the column has fewer values than rows.');
  if (chunk.nullCount !== 0) throw damaged(name, 'the column has empty rows.');
  return numbers.subarray(0, chunk.length);
}
