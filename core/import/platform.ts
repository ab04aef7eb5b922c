/** The globals of Node and browsers that reading needs. Core knows the type libraries of neither. */

interface TextDecoderLike {
  decode(bytes: Uint8Array): string;
}

interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

interface ByteWriter {
  write(chunk: Uint8Array): Promise<void>;
  close(): Promise<void>;
  abort(reason: unknown): Promise<void>;
}

interface ByteTransform {
  readonly readable: { getReader(): ByteReader };
  readonly writable: { getWriter(): ByteWriter };
}

interface Platform {
  readonly TextDecoder: new () => TextDecoderLike;
  readonly DecompressionStream: new (format: 'gzip') => ByteTransform;
}

const platform = globalThis as unknown as Platform;

export const newTextDecoder = (): TextDecoderLike => new platform.TextDecoder();
export const newGunzip = (): ByteTransform => new platform.DecompressionStream('gzip');
