/** Members of a trace file other than its events: the recording machine, versions, and the clock. */

import type { DeviceInfo } from '../../trace/run.ts';
import { unnamedGpu } from '../importedRun.ts';

export interface Header {
  /** Nanoseconds since 1970 at which the events' clock is 0; 0 if that clock itself counts from 1970. */
  readonly baseTimeNs: bigint;
  readonly devices: readonly DeviceInfo[];
  /** For example '13.0'; null if the file lacks it. */
  readonly driver: string | null;
  readonly runtime: string | null;
  readonly cupti: string | null;
  /** Rank in a distributed job; null without one. */
  readonly rank: { readonly rank: number; readonly of: number } | null;
}

const members = new Set([
  'baseTimeNanoseconds',
  'deviceProperties',
  'cuda_driver_version',
  'cuda_runtime_version',
  'cupti_version',
  'distributedInfo',
]);

export const isHeaderMember = (name: string): boolean => members.has(name);

/** `texts` are the members' values as in the file. A value of another type counts as missing. */
export function readHeader(texts: Readonly<Record<string, string>>): Header {
  const value = (name: string): unknown => parsed(texts[name]);
  const devices = value('deviceProperties');
  return {
    baseTimeNs: integer(texts['baseTimeNanoseconds']),
    devices: Array.isArray(devices) ? devices.flatMap(readDevice) : [],
    driver: version(value('cuda_driver_version')),
    runtime: version(value('cuda_runtime_version')),
    cupti: text(value('cupti_version')),
    rank: readRank(value('distributedInfo')),
  };
}

function parsed(json: string | undefined): unknown {
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Returns a bigint, since nanoseconds since 1970 have more digits than a double. */
const integer = (json: string | undefined): bigint =>
  json !== undefined && /^\s*[0-9]{1,20}\s*$/.test(json) ? BigInt(json.trim()) : 0n;

/** CUDA counts versions as 1000 * major + 10 * minor. */
const version = (value: unknown): string | null =>
  isCount(value) && value > 0 ? `${Math.floor(value / 1000)}.${Math.floor((value % 1000) / 10)}` : null;

const text = (value: unknown): string | null => (isCount(value) ? String(value) : null);

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

function readDevice(value: unknown): DeviceInfo[] {
  const fields = fieldsOf(value);
  const { id, name, numSms, totalGlobalMem, computeMajor, computeMinor } = fields;
  if (!isCount(id) || typeof name !== 'string') return [];
  return [
    {
      index: id,
      name: name.slice(0, 200).trim() || unnamedGpu,
      computeCapability: isCount(computeMajor) && isCount(computeMinor) ? `${computeMajor}.${computeMinor}` : '',
      asyncEngineCount: null,
      multiprocessors: isCount(numSms) ? numSms : 0,
      memoryBytes: isCount(totalGlobalMem) ? totalGlobalMem : 0,
      pciBusId: '',
      linkGeneration: null,
      linkWidth: null,
    },
  ];
}

function readRank(value: unknown): Header['rank'] {
  const { rank, world_size: size } = fieldsOf(value);
  return isCount(rank) && isCount(size) ? { rank, of: size } : null;
}
