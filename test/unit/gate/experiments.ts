/** Experiments made at random, of which it is known what they copy, where they wait and what they leave to chance. */
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { experimentOf } from '../support/experiments.ts';
import type { Random } from '../support/random.ts';

export interface GeneratedExperiment {
  readonly experiment: Experiment;
  readonly pageableCopies: number;
  readonly pageableBytes: number;
  readonly waitingCalls: number;
  /** Reads of what a copy has not surely brought. */
  readonly hazards: number;
}

/** As a person writes it. */
type Input = Readonly<Record<string, unknown>>;

/** Rounds of a copy to the device, a kernel and a copy back, each with buffers and a stream of its own. */
export function randomExperiment(random: Random): GeneratedExperiment {
  const known = { pageableCopies: 0, pageableBytes: 0, waitingCalls: 0, hazards: 0 };
  const operations: Input[] = [];
  const buffers: { id: string; memory: 'pageable' | 'pinned' | 'device'; bytes: number }[] = [];
  const rounds = 1 + random.below(4);
  for (let round = 0; round < rounds; round += 1) {
    const memory = random.pick(['pageable', 'pinned'] as const);
    const bytes = 4 * (1 + random.below(1 << 18));
    buffers.push({ id: `host${round}`, memory, bytes }, { id: `device${round}`, memory: 'device', bytes });
    const stream = `s${round}`;
    const times = random.chance(0.3) ? 1 + random.below(3) : 1;
    const isBlocking = random.chance(0.3);
    const copy: Input = {
      op: 'copy',
      src: `host${round}`,
      dst: `device${round}`,
      stream,
      mode: isBlocking ? 'blocking-to' : 'async',
    };
    operations.push(times === 1 ? copy : { op: 'repeat', count: times, operations: [copy] });
    if (memory === 'pageable') {
      known.pageableCopies += times;
      known.pageableBytes += times * bytes;
    }
    if (isBlocking) known.waitingCalls += times;
    operations.push({ op: 'kernel', kernel: { kind: 'spin', durationNs: 1000 + random.below(100_000) }, stream });
    if (!random.chance(0.5)) continue;
    buffers.push({ id: `back${round}`, memory: 'pinned', bytes });
    operations.push({ op: 'copy', src: `device${round}`, dst: `back${round}`, stream });
    if (random.chance(0.5)) {
      operations.push({ op: 'synchronizeStream', stream });
      known.waitingCalls += 1;
    } else known.hazards += 1;
    operations.push({ op: 'read', buffer: `back${round}` });
  }
  const streams = Array.from({ length: rounds }, (_, round) => ({ id: `s${round}`, flags: 'non-blocking' as const }));
  return { experiment: experimentOf({ buffers, streams }, operations), ...known };
}
