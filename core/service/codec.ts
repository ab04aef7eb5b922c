/** Encodes messages for a byte channel as MessagePack, so that a run's Arrow file travels as bytes and not as text. */
import { decode, encode } from '@msgpack/msgpack';
import { CopyscopeError } from '../errors.ts';
import { checkFrame } from './frameBounds.ts';

/** Largest message in either direction. It bounds the run files that a window can open or import. */
export const maxMessageBytes = 128 * 1024 * 1024;

/** Encodes one frame. Throws a CopyscopeError `message.too-large`. */
export function encodeMessage(message: unknown): Uint8Array<ArrayBuffer> {
  const frame = encode(message, { ignoreUndefined: true, maxDepth: 200 });
  if (frame.byteLength > maxMessageBytes) throw tooLarge(frame.byteLength);
  return frame;
}

/** Decodes one frame. Throws only CopyscopeErrors `message.invalid` and `message.too-large`. */
export function decodeMessage(frame: ArrayBuffer | Uint8Array): unknown {
  if (frame.byteLength > maxMessageBytes) throw tooLarge(frame.byteLength);
  try {
    checkFrame(frame instanceof Uint8Array ? frame : new Uint8Array(frame));
    return decode(frame, { maxExtLength: 64 });
  } catch (error) {
    throw new CopyscopeError(
      {
        code: 'message.invalid',
        message: `A message could not be read: ${error instanceof Error ? error.message : String(error)}.`,
        remedy: 'Reload the window, so that both sides have the same version.',
      },
      { cause: error },
    );
  }
}

function tooLarge(bytes: number): CopyscopeError {
  return new CopyscopeError({
    code: 'message.too-large',
    message: `A message of ${bytes} bytes is larger than ${maxMessageBytes} bytes, the most that one may have.`,
    remedy: 'Use fewer iterations, or the command line, which reads files of any size.',
  });
}
