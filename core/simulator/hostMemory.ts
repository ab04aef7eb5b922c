/**
 * How fast one host thread writes or reads memory. Content that must be worked out word by word costs more than the
 * memory does, and what a copy engine has written lies past the caches.
 */
import type { Content } from '../program/instructions.ts';
import type { InstructionOf, Program } from '../program/program.ts';
import type { DeviceProfile } from './profile.ts';

type Host = DeviceProfile['host'];
export type HostRateName = {
  [Name in keyof Host]-?: NonNullable<Host[Name]> extends number ? Name : never;
}[keyof Host];

export interface HostRate {
  /** The parameter of the profile's section `host` that says it. */
  readonly name: HostRateName;
  readonly bytesPerSecond: number;
}

export function hostRate(
  instruction: InstructionOf<'write'> | InstructionOf<'read'>,
  { buffers }: Program,
  { host }: DeviceProfile,
): HostRate {
  const isRead = instruction.code === 'read';
  const usual = isRead ? 'readBytesPerSecond' : 'writeBytesPerSecond';
  const arrived = isRead && (buffers[instruction.buffer]?.memory ?? 'pageable') !== 'pageable';
  const name = arrived && host.readArrivedBytesPerSecond !== undefined ? 'readArrivedBytesPerSecond' : usual;
  const own: HostRate = { name, bytesPerSecond: host[name] ?? host.memcpyBytesPerSecond };
  const content = isRead ? instruction.expected : instruction.content;
  const { randomBytesPerSecond } = host;
  if (!isRandom(content) || randomBytesPerSecond === undefined || randomBytesPerSecond >= own.bytesPerSecond)
    return own;
  return { name: 'randomBytesPerSecond', bytesPerSecond: randomBytesPerSecond };
}

const isRandom = (content: Content | null): boolean => content?.pattern.kind === 'random';
