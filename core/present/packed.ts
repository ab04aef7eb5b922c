/** Encodes bytes as base64 of gzip, piece by piece, for a report's file. */

interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array }>;
}

interface ByteWriter {
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
  abort(): Promise<void>;
}

/** Core includes neither Node's nor the browser's type library, so this declares the globals that it uses. */
const platform = globalThis as unknown as {
  readonly CompressionStream: new (
    format: 'gzip',
  ) => {
    readonly readable: { getReader(): ByteReader };
    readonly writable: { getWriter(): ByteWriter };
  };
};

/** Bytes passed to the compressor at once: few enough that cancelling is quick. */
const sliceBytes = 1 << 20;

/** Yields the compressed bytes. Calls `onTaken` with the size of each slice. */
export async function* gzipPieces(bytes: Uint8Array, onTaken: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new platform.CompressionStream('gzip');
  const [reader, writer] = [readable.getReader(), writable.getWriter()];
  const written = writeAll(bytes, writer, onTaken);
  // If the reader stops, writing fails, which isn't an error of its own.
  written.catch(() => {});
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (value !== undefined) yield value;
    }
    await written;
  } finally {
    await writer.abort().catch(() => {});
  }
}

async function writeAll(bytes: Uint8Array, writer: ByteWriter, onTaken: (bytes: number) => void): Promise<void> {
  for (let from = 0; from < bytes.length; from += sliceBytes) {
    const slice = bytes.subarray(from, from + sliceBytes);
    await writer.write(slice);
    onTaken(slice.length);
  }
  await writer.close();
}

const alphabet = Uint8Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', (sign) =>
  sign.charCodeAt(0),
);
const padding = '='.charCodeAt(0);

/** Yields the base64 text of all pieces together, as bytes. */
export async function* base64Pieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = new Uint8Array(0);
  for await (const piece of pieces) {
    const bytes = new Uint8Array(rest.length + piece.length);
    bytes.set(rest);
    bytes.set(piece, rest.length);
    const whole = bytes.length - (bytes.length % 3);
    if (whole > 0) yield letters(bytes.subarray(0, whole));
    rest = bytes.slice(whole);
  }
  if (rest.length > 0) yield letters(rest);
}

function letters(bytes: Uint8Array): Uint8Array {
  const text = new Uint8Array(4 * Math.ceil(bytes.length / 3));
  for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) {
    const [a, b, c] = [bytes[from] as number, bytes[from + 1] ?? 0, bytes[from + 2] ?? 0];
    text[to] = alphabet[a >> 2] as number;
    text[to + 1] = alphabet[((a & 3) << 4) | (b >> 4)] as number;
    text[to + 2] = from + 1 < bytes.length ? (alphabet[((b & 15) << 2) | (c >> 6)] as number) : padding;
    text[to + 3] = from + 2 < bytes.length ? (alphabet[c & 63] as number) : padding;
  }
  return text;
}
