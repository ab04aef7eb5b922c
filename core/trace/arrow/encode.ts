/** Encodes a run as an Arrow IPC file of one record batch. */
import {
  type Data,
  Dictionary,
  Field,
  Float64,
  Int8,
  Int32,
  makeData,
  makeVector,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableToIPC,
  Utf8,
  type Vector,
} from 'apache-arrow';
import { textEncoder } from '../../textEncoder.ts';
import type { Run } from '../run.ts';
import type { Trace } from '../trace.ts';
import { maxRunRows } from './guard.ts';
import { addressColumn, type ColumnName, columnOrder, numberColumns, wordColumns } from './layout.ts';
import { encodeMetadata } from './metadata.ts';
import { runFileError } from './problems.ts';

/**
 * Returns the Arrow IPC file (columns: layout.ts, metadata: metadata.ts). Throws a CopyscopeError `run-file.unwritable`
 * if the file could not be read again.
 */
export function encodeRun({ info, trace }: Run): Uint8Array {
  if (trace.count > maxRunRows) {
    const message = `the trace has ${trace.count} rows; a run file has at most ${maxRunRows}.`;
    throw runFileError('run-file.unwritable', 'file', message, { remedy: 'Record fewer iterations or operations.' });
  }
  const metadata = encodeMetadata({ info, lanes: trace.lanes, pauses: trace.pauses ?? [] });
  const data = columnData(trace);
  const { hostAddress } = trace.columns;
  const children: Data[] = columnOrder.map((name) => data[name]);
  const fields: Field[] = columnOrder.map((name) => new Field(name, data[name].type, name === 'engine'));
  if (hostAddress !== undefined) {
    children.push(numbers(hostAddress.subarray(0, trace.count)));
    fields.push(new Field(addressColumn, new Float64(), false));
  }
  const schema = new Schema(fields, metadata);
  const batch = new RecordBatch(schema, makeData({ type: new Struct(fields), length: trace.count, children }));
  return tableToIPC(new Table(schema, [batch]), 'file');
}

function columnData({ count, columns, lanes, names }: Trace): Record<ColumnName, Data> {
  const laneIds = lanes.map((lane) => lane.id);
  const data: Partial<Record<ColumnName, Data>> = {
    lane: words(laneIds, columns.lane.subarray(0, count), 'lane'),
    engine: nullableWords(laneIds, columns.engine.subarray(0, count), 'engine'),
    name: words(names, columns.name.subarray(0, count), 'name'),
  };
  for (const { name, column } of numberColumns) data[name] = numbers(columns[column].subarray(0, count));
  for (const { name, column, words: list } of wordColumns) {
    const codes = columns[column].subarray(0, count);
    data[name] = words(list, new Int8Array(codes.buffer, codes.byteOffset, codes.length), name);
  }
  return data as Record<ColumnName, Data>;
}

function numbers(values: Int32Array | Float64Array): Data {
  return values instanceof Float64Array
    ? makeData({ type: new Float64(), length: values.length, data: values })
    : makeData({ type: new Int32(), length: values.length, data: values });
}

function words(list: readonly string[], codes: Int8Array | Int32Array, column: ColumnName): Data {
  return makeData({ ...dictionary(list, codes, column), nullCount: 0 });
}

/** -1 becomes null. The value under a null is 0, so that readers which use it stay inside the dictionary. */
function nullableWords(list: readonly string[], codes: Int32Array, column: ColumnName): Data {
  const nullBitmap = new Uint8Array(Math.ceil(codes.length / 64) * 8);
  let nullCount = 0;
  const shown = codes.map((code, row) => {
    if (code < 0) nullCount += 1;
    else nullBitmap[row >> 3] = (nullBitmap[row >> 3] ?? 0) | (1 << (row & 7));
    return Math.max(code, 0);
  });
  return makeData({ ...dictionary(list, shown, column), nullCount, nullBitmap });
}

function dictionary(list: readonly string[], codes: Int8Array | Int32Array, column: ColumnName) {
  const indices = codes instanceof Int8Array ? new Int8() : new Int32();
  return {
    type: new Dictionary(new Utf8(), indices, columnOrder.indexOf(column)),
    length: codes.length,
    data: codes,
    dictionary: textVector(list),
  };
}

/** Unlike `vectorFromArray`, it compiles no text, which the window's content security policy forbids. */
function textVector(texts: readonly string[]): Vector<Utf8> {
  const encoder = textEncoder();
  const encoded = texts.map((text) => encoder.encode(text));
  const valueOffsets = new Int32Array(texts.length + 1);
  for (const [index, { length }] of encoded.entries()) valueOffsets[index + 1] = (valueOffsets[index] ?? 0) + length;
  const data = new Uint8Array(valueOffsets.at(-1) ?? 0);
  for (const [index, bytes] of encoded.entries()) data.set(bytes, valueOffsets[index]);
  return makeVector(makeData({ type: new Utf8(), length: texts.length, nullCount: 0, valueOffsets, data }));
}
