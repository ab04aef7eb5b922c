/** Decodes a run from an Arrow IPC file that may be cut off, damaged or hostile. */
import { type Data, type RecordBatch, RecordBatchReader, type Schema } from 'apache-arrow';
import { CopyscopeError } from '../../errors.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { sortOwned } from '../order.ts';
import { validateColumns } from '../rules.ts';
import type { Run } from '../run.ts';
import type { CommonColumn, Lane, Trace, TraceColumns } from '../trace.ts';
import { guardArrowFile, maxRunRows } from './guard.ts';
import { addressColumn, columnOrder, numberColumns, tableColumns, wordColumns } from './layout.ts';
import { decodeMetadata } from './metadata.ts';
import { damaged, runFileError, typeName } from './problems.ts';
import { checkWordType, readWords, type WordList } from './readWords.ts';

/**
 * Returns the run in a file. Validates every column, row and metadata field. Columns may be views on `file`, so don't
 * change it afterwards. `known` is the file's experiment if the caller has it already; it isn't validated again. Throws
 * only CopyscopeErrors `run-file.*` with field and remedy.
 */
export function decodeRun(file: Uint8Array, known?: Experiment | null): Run {
  try {
    return read(file, known ?? null);
  } catch (error) {
    if (error instanceof CopyscopeError) throw asRunFileError(error);
    // The reader's own message is about its code, so it isn't shown.
    throw runFileError('run-file.damaged', 'file', 'the Arrow reader can’t follow it.', { cause: error });
  }
}

function asRunFileError(error: CopyscopeError): CopyscopeError {
  if (error.code.startsWith('run-file.')) return error;
  return runFileError('run-file.damaged', error.field ?? 'file', error.message, { cause: error });
}

function read(unaligned: Uint8Array, known: Experiment | null): Run {
  guardArrowFile(unaligned);
  // Typed arrays of 8-byte numbers need memory that starts at a multiple of 8.
  const file = unaligned.byteOffset % 8 === 0 ? unaligned : unaligned.slice();
  const reader = RecordBatchReader.from(file).open();
  const { info, lanes, pauses = [] } = decodeMetadata(reader.schema.metadata, known);
  checkFields(reader.schema);
  const read = readTrace([...reader], lanes);
  const trace = pauses.length === 0 ? read : { ...read, pauses };
  // A tool that filtered the rows may have reordered them.
  return { info, trace: { ...trace, columns: sortOwned(trace.columns, trace.count) } };
}

function checkFields({ fields }: Schema): void {
  for (const name of columnOrder) {
    const found = fields.filter((field) => field.name === name);
    if (found.length !== 1) throw damaged(name, `the file has ${found.length} columns called "${name}".`);
  }
  const typeOf = (name: string) => fields.find((field) => field.name === name)?.type;
  for (const { name, type } of numberColumns) {
    const given = typeName(typeOf(name));
    if (given !== type) throw damaged(name, `the column is of type ${given}, not ${type}.`);
  }
  for (const name of [...wordColumns.map((column) => column.name), ...tableColumns]) {
    checkWordType(name, typeOf(name));
  }
}

function readTrace(batches: readonly RecordBatch[], lanes: readonly Lane[]): Trace {
  const count = batches.reduce((sum, batch) => sum + batch.numRows, 0);
  if (count > maxRunRows) {
    throw runFileError('run-file.too-large', 'file', `the file has ${count} rows; at most ${maxRunRows} are read.`);
  }
  const chunks = (name: string) => batches.map((batch) => child(batch, name));
  const laneIds: WordList = { words: lanes.map((lane) => lane.id), open: false };
  const names: WordList = { words: [], open: true };
  const columns: Partial<Record<keyof TraceColumns, TraceColumns[CommonColumn]>> = {
    lane: readWords('lane', chunks('lane'), count, laneIds, Int32Array),
    engine: readWords('engine', chunks('engine'), count, { ...laneIds, nullable: true }, Int32Array),
    name: readWords('name', chunks('name'), count, names, Int32Array),
  };
  for (const { name, column, type } of numberColumns) columns[column] = readNumbers(name, chunks(name), count, type);
  for (const { name, column, words } of wordColumns) {
    columns[column] = readWords(name, chunks(name), count, { words: [...words], open: false }, Uint8Array);
  }
  if (batches[0]?.schema.fields.some(({ name }) => name === addressColumn)) {
    columns.hostAddress = readNumbers(addressColumn, chunks(addressColumn), count, 'Float64');
  }
  const trace = { count, columns: columns as unknown as TraceColumns, lanes, names: names.words };
  validateColumns(trace);
  return trace;
}

function child(batch: RecordBatch, name: string) {
  const index = batch.schema.fields.findIndex((field) => field.name === name);
  const data = batch.data.children[index];
  if (data === undefined || data.length !== batch.numRows) throw damaged(name, 'the column is shorter than its batch.');
  return data;
}

/** Returns a numeric column as one typed array: a view on the file if it has one batch, else a copy. */
function readNumbers(
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
