/** What a benchmark leaves: `copyscope bench --json` prints it, docs/bench.md describes it. */
import type { ErrorInfo } from '../errors.ts';
import type { DeviceInfo } from '../program/engine.ts';

export const benchFormat = 'copyscope/bench';
export const benchVersion = 1;

export const benchSections = [
  'copies',
  'latency',
  'device',
  'bidirectional',
  'peer',
  'links',
  'small',
  'launch',
  'queue',
  'submit',
] as const;
export type BenchSection = (typeof benchSections)[number];

export type FigureUnit = 'B/s' | 'ns' | 'operations';

export interface Figure {
  readonly name: string;
  readonly unit: FigureUnit;
  readonly median: number;
  readonly least: number;
  readonly most: number;
  /** In the order in which they were taken. */
  readonly samples: readonly number[];
}

export interface BenchRow {
  readonly section: BenchSection;
  /** Its place in the section's table. */
  readonly row: string;
  readonly column: string;
  readonly status: 'done' | 'waived' | 'failed';
  /** Why it was waived. */
  readonly reason?: string;
  readonly error?: ErrorInfo;
  /** The first is what the table shows where the column isn't the figures' names. Empty unless done. */
  readonly figures: readonly Figure[];
  /** What the time was taken with: events of the device around the copies, or the host's clock. */
  readonly clock?: 'device' | 'host';
  /** Bytes of one copy, and copies or launches in a sample. */
  readonly bytes?: number;
  readonly count?: number;
  readonly verification?: { readonly bytesChecked: number; readonly bytesWrong: number };
}

/** The same payload in PyTorch, in the same run on the same machine. */
export interface Comparison {
  readonly section: BenchSection;
  readonly row: string;
  readonly column: string;
  /** What PyTorch did, as code. */
  readonly call: string;
  readonly unit: FigureUnit;
  readonly copyscope: number;
  readonly pytorch: number;
  /** How many times as fast Copyscope was: above 1 it was faster. */
  readonly ratio: number;
}

export interface BenchDocument {
  readonly format: typeof benchFormat;
  readonly version: typeof benchVersion;
  readonly createdAt: string;
  readonly copyscope: string;
  readonly machine: { readonly os: string; readonly cpu: string; readonly cores: number };
  readonly device: DeviceInfo;
  readonly driverVersion: string | null;
  readonly runtimeVersion: string | null;
  /** Whether it was stopped before its end; what had been measured is here. */
  readonly status: 'complete' | 'cancelled';
  readonly rows: readonly BenchRow[];
  /** Null where it was not asked for. */
  readonly pytorch: {
    readonly status: 'done' | 'waived' | 'failed';
    readonly reason?: string;
    readonly version?: string;
    readonly comparisons: readonly Comparison[];
  } | null;
}
