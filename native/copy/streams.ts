/** Streams for copies, and the current one of each device. */
import { CopyscopeError } from '../../core/errors.ts';
import { type NativeStream, nativeCopies } from './nativeCopies.ts';

/** A non-blocking stream of a device. */
export class CopyStream {
  readonly device: string;
  readonly native: NativeStream;

  constructor(device: string) {
    this.device = device;
    this.native = nativeCopies().copyStream(device);
  }

  /** Blocks until the work in it so far is done. */
  synchronize(): void {
    nativeCopies().copySynchronize(this.native);
  }
}

const current = new Map<string, CopyStream>();

/** Returns the default stream for copies of this device; null for the engine's own. */
export const currentStream = (device: string): CopyStream | null => current.get(device) ?? null;

/** Makes a stream current on its device. Copies started before stay in their stream. */
export function setCurrentStream(stream: CopyStream): void {
  current.set(stream.device, stream);
}

/** Makes the engine's own stream current again. */
export function resetCurrentStream(device: string): void {
  current.delete(device);
}

/** Returns `asked` if it is of this device, else the device's current stream. */
export function streamFor(device: string, asked: CopyStream | undefined): NativeStream | undefined {
  return (asked?.device === device ? asked : current.get(device))?.native;
}

/** Throws a CopyscopeError `copy.bad-option` for a stream of a device that takes no part in the copy. */
export function requireTakesPart(stream: CopyStream, devices: ReadonlySet<string>): void {
  if (devices.has(stream.device) || devices.size === 0) return;
  throw new CopyscopeError({
    code: 'copy.bad-option',
    field: 'stream',
    message: `The stream is of ${stream.device}, and the copy is between ${[...devices].join(' and ')}.`,
    remedy: 'Give a stream of one of these.',
  });
}
