/**
 * Checks an Arrow file before Arrow's own reader sees it: magic, footer, and every length that the reader would trust.
 * Afterwards the file's size bounds the reader's work. Slots follow Arrow's File.fbs, Schema.fbs and Message.fbs
 * (https://arrow.apache.org/docs/format/Columnar.html).
 */
import { FlatBuffer, type Table } from './flatbuffer.ts';
import { damaged, runFileError } from './problems.ts';

/** Rows of a trace take 56 bytes each, so this is about 19 million rows. */
export const maxRunFileBytes = 2 ** 30;
export const maxRunRows = 2 ** 24;
const maxFields = 64;
const maxMetadataEntries = 256;
const maxBatches = 4096;
const maxBuffersPerField = 3;

const magic = [...'ARROW1'].map((character) => character.charCodeAt(0));
/** Magic and padding at the start; footer length and magic at the end. */
const headBytes = 8;
export const tailBytes = 10;
const footerSlots = { schema: 1, dictionaries: 2, recordBatches: 3 } as const;
const schemaSlots = { endianness: 0, fields: 1, metadata: 2 } as const;
const fieldSlots = { name: 0, children: 5, metadata: 6 } as const;
const keyValueSlots = { key: 0, value: 1 } as const;
const messageSlots = { headerType: 1, header: 2, bodyLength: 3, metadata: 4 } as const;
const batchSlots = { length: 0, nodes: 1, buffers: 2, compression: 3, variadic: 4 } as const;
const headerTypes = { dictionaryBatch: 2, recordBatch: 3 } as const;

export function guardArrowFile(file: Uint8Array): void {
  guardEnds(file);
  const footer = readFooter(file);
  const schema = footer.table(footerSlots.schema);
  if (schema === null) throw damaged('footer', 'the footer has no schema.');
  guardSchema(schema);
  const bytes =
    guardBlocks(file, footer, footerSlots.dictionaries, headerTypes.dictionaryBatch) +
    guardBlocks(file, footer, footerSlots.recordBatches, headerTypes.recordBatch);
  // Otherwise a small file could name one batch thousands of times, and each would take memory.
  if (bytes > file.byteLength) throw damaged('footer', 'batches overlap.');
}

function guardEnds(file: Uint8Array): void {
  if (file.byteLength > maxRunFileBytes) {
    const message = `the file has ${file.byteLength} bytes; at most ${maxRunFileBytes} are read.`;
    throw runFileError('run-file.too-large', 'file', message);
  }
  if (file.byteLength === 0) throw runFileError('run-file.truncated', 'file', 'the file is empty.');
  const start = file.subarray(0, magic.length);
  if (!start.every((byte, index) => byte === magic[index])) {
    throw runFileError('run-file.not-arrow', 'file', 'the file does not start as an Arrow file does ("ARROW1").');
  }
  const tail = file.subarray(-magic.length);
  if (file.byteLength < headBytes + tailBytes || !tail.every((byte, index) => byte === magic[index])) {
    throw runFileError('run-file.truncated', 'file', 'the file does not end as an Arrow file does ("ARROW1").');
  }
}

function readFooter(file: Uint8Array): Table {
  const end = file.byteLength - tailBytes;
  const length = footerBytes(file.subarray(end), file.byteLength);
  return new FlatBuffer(file.subarray(end - length, end), 'footer').root();
}

/** Returns the length of the footer, which lies before the file's last tailBytes. `tail` has those bytes. */
export function footerBytes(tail: Uint8Array, fileBytes: number): number {
  const end = tail.subarray(-magic.length);
  if (fileBytes < headBytes + tailBytes || !end.every((byte, index) => byte === magic[index])) {
    throw runFileError('run-file.truncated', 'file', 'the file does not end as an Arrow file does ("ARROW1").');
  }
  const length = new DataView(tail.buffer, tail.byteOffset, tail.byteLength).getInt32(0, true);
  if (length > 0 && length <= fileBytes - tailBytes - headBytes) return length;
  const message = `its footer claims ${length} bytes, and the file has ${fileBytes}.`;
  throw runFileError('run-file.truncated', 'footer', message);
}

/** Returns the metadata in a footer, without reading rows. */
export function footerMetadata(footer: Uint8Array): Map<string, string> {
  const schema = new FlatBuffer(footer, 'footer').root().table(footerSlots.schema);
  if (schema === null) throw damaged('footer', 'the footer has no schema.');
  const entries = schema.tables(schemaSlots.metadata, maxMetadataEntries, 'metadata entries');
  return new Map(entries.map((entry) => [entry.string(keyValueSlots.key), entry.string(keyValueSlots.value)]));
}

function guardSchema(schema: Table): void {
  if (schema.int16(schemaSlots.endianness) !== 0) throw damaged('schema', 'the data is not little-endian.');
  guardMetadata(schema, schemaSlots.metadata);
  for (const field of schema.tables(schemaSlots.fields, maxFields, 'columns')) {
    field.checkString(fieldSlots.name);
    guardMetadata(field, fieldSlots.metadata);
    if (field.vector(fieldSlots.children, 4, maxFields, 'nested columns').length > 0) {
      throw damaged('schema', 'a column is nested, and no column of a run is.');
    }
  }
}

function guardMetadata(owner: Table, slot: number): void {
  for (const entry of owner.tables(slot, maxMetadataEntries, 'metadata entries')) {
    entry.checkString(keyValueSlots.key);
    entry.checkString(keyValueSlots.value);
  }
}

const blockBytes = 24;

/** Returns the bytes of all batches. */
function guardBlocks(file: Uint8Array, footer: Table, slot: number, headerType: number): number {
  const offsets = footer.structs(slot, blockBytes, maxBatches, 'batches');
  return offsets.reduce((bytes, offset) => bytes + guardMessage(file, offset, headerType), 0);
}

/** Checks that the lengths of a dictionary or record batch fit its body, and its body the file. Returns its bytes. */
function guardMessage(file: Uint8Array, offset: number, headerType: number): number {
  const { message, bodyStart } = readMessage(file, offset);
  if (message.uint8(messageSlots.headerType) !== headerType) throw damaged('batch', 'a batch is of the wrong kind.');
  const bodyLength = message.int64(messageSlots.bodyLength);
  if (bodyLength < 0 || bodyStart + bodyLength > file.byteLength) {
    throw damaged('batch', `a batch claims ${bodyLength} bytes, more than the file has.`);
  }
  guardMetadata(message, messageSlots.metadata);
  const header = message.table(messageSlots.header);
  const batch = headerType === headerTypes.dictionaryBatch ? (header?.table(1) ?? null) : header;
  if (batch === null) throw damaged('batch', 'a batch has no header.');
  guardBatch(batch, bodyLength);
  return bodyStart + bodyLength - offset;
}

function readMessage(file: Uint8Array, offset: number): { message: Table; bodyStart: number } {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (offset < headBytes || offset % 8 !== 0 || offset + 8 > file.byteLength) {
    throw damaged('footer', `a batch begins at byte ${offset}, where a batch can’t begin.`);
  }
  const length = view.getInt32(offset + 4, true);
  if (view.getInt32(offset, true) !== -1 || length <= 0 || offset + 8 + length > file.byteLength) {
    throw damaged('batch', `no batch begins at byte ${offset}.`);
  }
  const bytes = file.subarray(offset + 8, offset + 8 + length);
  return { message: new FlatBuffer(bytes, 'batch').root(), bodyStart: offset + 8 + length };
}

function guardBatch(batch: Table, bodyLength: number): void {
  const rows = batch.int64(batchSlots.length);
  if (rows < 0 || rows > maxRunRows)
    throw damaged('batch', `a batch has ${rows} rows; at most ${maxRunRows} are read.`);
  if (batch.has(batchSlots.compression)) {
    throw runFileError('run-file.damaged', 'batch', 'the data is compressed, which run files are not.', {
      remedy: 'Write it again without compression.',
    });
  }
  batch.vector(batchSlots.variadic, 8, 0, 'buffers of string views');
  for (const [length, nulls] of batch.pairs(batchSlots.nodes, maxFields, 'columns')) {
    if (length !== rows || nulls < -1 || nulls > rows) throw damaged('batch', 'a column is not as long as its batch.');
  }
  let bytes = 0;
  for (const [start, length] of batch.pairs(batchSlots.buffers, maxFields * maxBuffersPerField, 'buffers')) {
    if (start < 0 || length < 0 || start + length > bodyLength) {
      throw damaged('batch', "a column's data lies outside its batch.");
    }
    bytes += length;
  }
  if (bytes > bodyLength) throw damaged('batch', 'the data of columns overlaps.');
}
