/** Table of the fastest strategy for copies of scattered blocks, by size, number and direction, which other programs load. */
import { toErrorInfo } from '../../errors.ts';
import type { BlockStrategy } from '../../experiment/operations.ts';
import { median } from '../../statistics.ts';
import { KiB, MiB } from '../../units.ts';
import { type Measured, type Measurement, measuredStrategies } from './measurement.ts';

type Strategy = (typeof measuredStrategies)[number];
type Direction = 'h2d' | 'd2h';

interface BlockShape {
  /** Bytes of each block, and their number. */
  readonly bytes: number;
  readonly count: number;
}

interface BlockRow extends BlockShape {
  readonly direction: Direction;
  readonly fastest: Strategy;
  /** Median time from the first call to the arrival of all blocks, in microseconds; null if the driver lacks it. */
  readonly us: Readonly<Record<Strategy, number | null>>;
}

export interface BlockTable {
  readonly format: 'copyscope/blocks';
  readonly version: 1;
  readonly device: string;
  readonly date: string;
  readonly rows: readonly BlockRow[];
}

/** 22 shapes of 4 KiB to 1 MiB and 16 to 4,096 blocks, of at most 256 MiB. */
export const blockShapes: readonly BlockShape[] = [4, 16, 64, 256, 1024]
  .flatMap((size) => [16, 64, 256, 1024, 4096].map((count) => ({ bytes: size * KiB, count })))
  .filter(({ bytes, count }) => bytes * count <= 256 * MiB);

export const blockDirections = ['h2d', 'd2h'] as const;

/** Source and target have two slots for each block. */
export const blockMeasurement = (
  { bytes, count }: BlockShape,
  direction: Direction,
  strategy: BlockStrategy,
): Measurement => ({
  ...{ kind: 'blocks', direction, memory: 'pinned', strategy, device: 0 },
  ...{ bytes, count, capacity: 512 * MiB, warmups: 2, samples: bytes * count > 64 * MiB ? 5 : 11 },
});

/** Throws if a byte is wrong, or if a strategy fails that every driver has. */
export async function measureBlocks(
  measure: (measurement: Measurement) => Promise<Measured>,
  about: Pick<BlockTable, 'device' | 'date'>,
  onProgress: (done: number, total: number, what: string) => void,
): Promise<BlockTable> {
  const rows: BlockRow[] = [];
  const total = blockDirections.length * blockShapes.length;
  for (const direction of blockDirections) {
    for (const shape of blockShapes) {
      onProgress(rows.length, total, `${direction} ${shape.count} blocks of ${shape.bytes / KiB} KiB`);
      const us: Record<Strategy, number | null> = { loop: null, batch: null, kernel: null, packed: null };
      for (const strategy of measuredStrategies) us[strategy] = await timeOf(measure, shape, direction, strategy);
      const time = (strategy: Strategy): number => us[strategy] ?? Number.POSITIVE_INFINITY;
      const fastest = measuredStrategies.reduce((best, one) => (time(one) < time(best) ? one : best));
      rows.push({ direction, ...shape, fastest, us });
    }
  }
  return { format: 'copyscope/blocks', version: 1, ...about, rows };
}

async function timeOf(
  measure: (measurement: Measurement) => Promise<Measured>,
  shape: BlockShape,
  direction: Direction,
  strategy: Strategy,
): Promise<number | null> {
  try {
    const { ns, wrong } = await measure(blockMeasurement(shape, direction, strategy));
    if (wrong > 0) throw new Error(`${wrong} bytes are wrong after copying blocks by ${strategy}.`);
    return Math.round(median([...ns]) / 10) / 100;
  } catch (thrown) {
    if (strategy === 'batch' && toErrorInfo(thrown).code === 'engine.unsupported') return null;
    throw thrown;
  }
}
