/** Reads a dictionary-encoded column as codes into one list of words, whatever the order of the file's dictionary. */
import { type Data, DataType, type Vector } from 'apache-arrow';
import { damaged, typeName } from './problems.ts';

export interface WordList {
  /** Code n stands for words[n]. */
  readonly words: string[];
  /** Whether unknown words are added to the list instead of rejected. */
  readonly open: boolean;
  /** Whether an empty row reads as -1 instead of being rejected. */
  readonly nullable?: boolean;
}

const maxWords = 2 ** 20;
const maxWordBytes = 2 ** 26;
type Indices = Int8Array | Int16Array | Int32Array | Uint8Array | Uint16Array | Uint32Array;

export function checkWordType(name: string, type: unknown): void {
  const known =
    type instanceof DataType &&
    DataType.isDictionary(type) &&
    DataType.isUtf8(type.dictionary) &&
    DataType.isInt(type.indices) &&
    type.indices.bitWidth <= 32;
  if (!known) throw damaged(name, `the column is of type ${typeName(type)}, not a dictionary of strings.`);
}

/** Returns the codes of all rows: views on the file if its dictionary equals the list and the widths agree. */
export function readWords<Codes extends Int32Array | Uint8Array>(
  name: string,
  chunks: readonly Data[],
  count: number,
  list: WordList,
  Codes: { new (length: number): Codes; new (buffer: ArrayBufferLike, offset: number, length: number): Codes },
): Codes {
  const translations = new Map<Vector, Int32Array>();
  const known = new Map(list.words.map((word, code) => [word, code]));
  let codes: Codes | undefined;
  let from = 0;
  for (const chunk of chunks) {
    const indices = readIndices(name, chunk);
    const present = readPresence(name, chunk, list.nullable === true);
    const dictionary = chunk.dictionary;
    if (dictionary === undefined) throw damaged(name, 'the column has no dictionary.');
    const translation = translations.get(dictionary) ?? translate(name, dictionary, list, known);
    translations.set(dictionary, translation);
    checkIndices(name, indices, present, translation.length);
    const sameWidth = indices.BYTES_PER_ELEMENT === new Codes(0).BYTES_PER_ELEMENT;
    if (chunks.length === 1 && present === null && sameWidth && isIdentity(translation)) {
      return new Codes(indices.buffer, indices.byteOffset, indices.length);
    }
    codes ??= new Codes(count);
    for (let row = 0; row < indices.length; row += 1) {
      const here = present === null || ((present[row >> 3] ?? 0) >> (row & 7)) & 1;
      codes[from + row] = here ? (translation[indices[row] ?? 0] ?? 0) : -1;
    }
    from += indices.length;
  }
  return codes ?? new Codes(count);
}

function readIndices(name: string, chunk: Data): Indices {
  const values: unknown = chunk.values;
  const isIndices =
    values instanceof Int8Array ||
    values instanceof Int16Array ||
    values instanceof Int32Array ||
    values instanceof Uint8Array ||
    values instanceof Uint16Array ||
    values instanceof Uint32Array;
  if (!isIndices || chunk.offset !== 0 || values.length < chunk.length) {
    throw damaged(name, 'the column has fewer values than rows.');
  }
  return values.subarray(0, chunk.length);
}

/** Returns the validity bitmap, or null if no row is empty. */
function readPresence(name: string, chunk: Data, nullable: boolean): Uint8Array | null {
  if (chunk.nullCount === 0) return null;
  const bitmap: unknown = chunk.nullBitmap;
  if (!nullable) throw damaged(name, 'the column has empty rows.');
  if (!(bitmap instanceof Uint8Array) || bitmap.length * 8 < chunk.length) {
    throw damaged(name, 'the column does not say which of its rows are empty.');
  }
  return bitmap;
}

/** Returns the code in the list for each entry of the file's dictionary. */
function translate(name: string, dictionary: Vector, list: WordList, known: Map<string, number>): Int32Array {
  if (dictionary.length > maxWords) {
    throw damaged(name, `the dictionary has ${dictionary.length} entries; at most ${maxWords} are read.`);
  }
  const bytes = dictionary.data.reduce((sum, chunk) => sum + checkStrings(name, chunk), 0);
  if (bytes > maxWordBytes) {
    throw damaged(name, `the dictionary has ${bytes} bytes; at most ${maxWordBytes} are read.`);
  }
  return Int32Array.from({ length: dictionary.length }, (_, index) => {
    const word: unknown = dictionary.get(index);
    if (typeof word !== 'string') throw damaged(name, 'an entry of the dictionary is empty.');
    const code = known.get(word) ?? (list.open ? list.words.push(word) - 1 : undefined);
    if (code === undefined) throw damaged(name, `"${word.slice(0, 80)}" is not one of the column's words.`);
    known.set(word, code);
    return code;
  });
}

/** Returns the total bytes of a chunk's strings, which lie one after another without overlap. */
function checkStrings(name: string, { length, valueOffsets, values }: Data): number {
  const offsets: unknown = valueOffsets;
  const bytes: unknown = values;
  const usable = offsets instanceof Int32Array && bytes instanceof Uint8Array && offsets.length > length;
  if (length > 0 && !usable) throw damaged(name, 'the dictionary has no strings.');
  if (length === 0 || !usable) return 0;
  for (let index = 0; index < length; index += 1) {
    const [start, end] = [offsets[index] ?? -1, offsets[index + 1] ?? -1];
    if (start < 0 || end < start || end > bytes.length) throw damaged(name, 'the strings of the dictionary overlap.');
  }
  return (offsets[length] ?? 0) - (offsets[0] ?? 0);
}

function checkIndices(name: string, indices: Indices, present: Uint8Array | null, words: number): void {
  for (let row = 0; row < indices.length; row += 1) {
    const index = indices[row] ?? -1;
    if (index >= 0 && index < words) continue;
    if (present !== null && !(((present[row >> 3] ?? 0) >> (row & 7)) & 1)) continue;
    throw damaged(name, `row ${row} names entry ${index} of a dictionary of ${words}.`);
  }
}

const isIdentity = (translation: Int32Array): boolean => translation.every((code, index) => code === index);
