/**
 * How fast one host thread writes or reads memory. Both go word by word (native/src/host_memory.cpp), so it is the work
 * that a word's content takes which decides, and where a copy engine has written past the caches, the memory.
 */
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

/** The slowest of what the profile knows of such a write or read. */
export function hostRate(
  instruction: InstructionOf<'write'> | InstructionOf<'read'>,
  program: Program,
  { host }: DeviceProfile,
): HostRate {
  const names = instruction.code === 'write' ? writeRates(instruction) : readRates(instruction, program, host);
  const [usual = 'memcpyBytesPerSecond'] = names;
  return names.reduce<HostRate>(
    (slowest, name) => {
      const bytesPerSecond = host[name] ?? Number.POSITIVE_INFINITY;
      return bytesPerSecond < slowest.bytesPerSecond ? { name, bytesPerSecond } : slowest;
    },
    { name: usual, bytesPerSecond: host[usual] ?? host.memcpyBytesPerSecond },
  );
}

function writeRates({ content }: InstructionOf<'write'>): readonly HostRateName[] {
  const { kind } = content.pattern;
  if (kind === 'random') return ['writeBytesPerSecond', 'randomBytesPerSecond'];
  return kind === 'index' ? ['writeBytesPerSecond', 'indexBytesPerSecond'] : ['writeBytesPerSecond'];
}

function readRates(
  { expected, buffer }: InstructionOf<'read'>,
  { buffers }: Program,
  host: Host,
): readonly HostRateName[] {
  const arrived = (buffers[buffer]?.memory ?? 'pageable') !== 'pageable';
  const usual: HostRateName[] = arrived ? ['readBytesPerSecond', 'readArrivedBytesPerSecond'] : ['readBytesPerSecond'];
  if (expected?.pattern.kind !== 'random') return usual;
  const known = host.readRandomBytesPerSecond !== undefined;
  return [...usual, known ? 'readRandomBytesPerSecond' : 'randomBytesPerSecond'];
}
