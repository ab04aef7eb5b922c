/** How an engine's messages cross a line: MessagePack, in which a run's file is bytes and a measurement's times are numbers. */
import { decode, ExtensionCodec, encode } from '@msgpack/msgpack';
import { maxRunFileBytes } from '../../core/trace/arrow.ts';

/** A run's file, and what is said of it. */
const maxLinkMessageBytes = maxRunFileBytes + 64 * 2 ** 20;
const float64Array = 1;

const extensionCodec = new ExtensionCodec();
extensionCodec.register({
  type: float64Array,
  encode: (value) =>
    value instanceof Float64Array ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : null,
  // A copy: the bytes need not lie where eight-byte numbers may.
  decode: (bytes) => new Float64Array(new Uint8Array(bytes).buffer),
});

export function encodeLinkMessage(message: unknown): Uint8Array {
  const bytes = encode(message, { ignoreUndefined: true, maxDepth: 200, extensionCodec });
  if (bytes.byteLength > maxLinkMessageBytes) throw new Error(`a message of ${bytes.byteLength} bytes is too large`);
  return bytes;
}

/** What it holds of bytes is a window on `bytes`, and no Buffer. */
export const decodeLinkMessage = (bytes: Uint8Array): unknown =>
  decode(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
    extensionCodec,
    maxStrLength: maxLinkMessageBytes,
    maxBinLength: maxLinkMessageBytes,
    maxExtLength: maxLinkMessageBytes,
  });
