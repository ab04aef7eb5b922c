/** Writes texts as an Arrow column. Arrow's own builder compiles code from text, which the window's policy forbids. */
import { makeData, makeVector, Utf8, type Vector } from 'apache-arrow';

/** Core includes neither Node's nor the browser's type library, so this declares the global that it uses. */
const platform = globalThis as unknown as { readonly TextEncoder: new () => { encode(text: string): Uint8Array } };

export function textVector(texts: readonly string[]): Vector<Utf8> {
  const encoder = new platform.TextEncoder();
  const encoded = texts.map((text) => encoder.encode(text));
  const valueOffsets = new Int32Array(texts.length + 1);
  for (const [index, { length }] of encoded.entries()) valueOffsets[index + 1] = (valueOffsets[index] ?? 0) + length;
  const data = new Uint8Array(valueOffsets.at(-1) ?? 0);
  for (const [index, bytes] of encoded.entries()) data.set(bytes, valueOffsets[index]);
  return makeVector(makeData({ type: new Utf8(), length: texts.length, nullCount: 0, valueOffsets, data }));
}
