/** Many short runs with random faults, each of which must end as expected: for the soak and its short version. */

import { CopyscopeError } from '../../core/errors.ts';
import type { ExperimentInput } from '../../core/experiment/experiment.ts';
import { copyStrategies } from '../../core/experiment/operations.ts';
import { requireExperiment } from '../../core/experiment/parse.ts';
import type { Engine, EngineRequest } from '../../core/program/engine.ts';
import { lower } from '../../core/program/lower.ts';

export type Random = () => number;

/** Mulberry32 (Tommy Ettinger, public domain): numbers from 0 to 1, the same for each seed. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const once = { iterations: 1, warmups: 0 };
const KiB = 1024;
const whole = (random: Random, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1));

type Operations = ExperimentInput['threads'][number]['operations'];
type Input = Omit<ExperimentInput, 'format' | 'version' | 'threads'> & { operations: Operations };
const request = ({ operations, ...input }: Input): EngineRequest => {
  const threads = [{ id: 'main', operations }];
  const experiment = requireExperiment({ format: 'copyscope/experiment', version: 1, threads, ...input });
  return { experiment, program: lower(experiment) };
};

/** Copies both ways in two streams with an event between, with a random size and kind of memory. */
function ordinary(random: Random): EngineRequest {
  const bytes = whole(random, 1, 256 * KiB);
  const memory = random() < 0.7 ? 'pinned' : 'pageable';
  return request({
    name: 'soak',
    environment: once,
    buffers: [
      { id: 'host', memory, bytes, pattern: { kind: 'random', seed: whole(random, 1, 1e6) } },
      { id: 'device', memory: 'device', bytes },
      { id: 'back', memory, bytes },
    ],
    streams: [{ id: 'there' }, { id: 'back' }],
    events: [{ id: 'arrived' }],
    operations: [
      { op: 'copy', src: 'host', dst: 'device', stream: 'there' },
      { op: 'recordEvent', event: 'arrived', stream: 'there' },
      { op: 'waitEvent', event: 'arrived', stream: 'back' },
      { op: 'copy', src: 'device', dst: 'back', stream: 'back' },
      { op: 'synchronizeStream', stream: 'back' },
      { op: 'read', buffer: 'back' },
    ],
  });
}

const pick = <Item>(random: Random, items: readonly [Item, ...Item[]]): Item =>
  items[whole(random, 0, items.length - 1)] ?? items[0];

/** Copies many tensors, in any direction by any strategy. */
const manyTensors = (random: Random): EngineRequest =>
  request({
    name: 'many tensors',
    environment: once,
    streams: [{ id: 'there' }],
    operations: [
      {
        op: 'multiCopy',
        direction: pick(random, ['h2d', 'd2h', 'd2d', 'h2h']),
        strategy: pick(random, [...copyStrategies]),
        payload: {
          tensors: whole(random, 1, 60),
          bytes: [whole(random, 1, 8 * KiB), whole(random, 1, 600 * KiB), whole(random, 1, 100)],
          memory: pick(random, ['pageable', 'pinned']),
        },
        stream: 'there',
      },
    ],
  });

const spin = (): EngineRequest =>
  request({
    name: 'spin',
    environment: once,
    operations: [{ op: 'kernel', kernel: { kind: 'spin', durationNs: 6e11 } }, { op: 'synchronizeDevice' }],
  });

const huge = (memory: 'device' | 'pinned'): EngineRequest =>
  request({
    name: 'huge',
    environment: once,
    buffers: [{ id: 'enormous', memory, bytes: 2 ** 40 }],
    operations: [{ op: 'synchronizeDevice' }],
  });

/** Returns a program that no experiment lowers to. */
function broken(random: Random): EngineRequest {
  const made = ordinary(random);
  return { ...made, program: { ...made.program, iterations: 0 } };
}

interface Behaviour {
  /** Frequency in percent. */
  readonly share: number;
  readonly make: (random: Random) => EngineRequest;
  /** Returns the milliseconds until the run is cancelled. */
  readonly cancelMs?: (random: Random) => number;
  /** Codes of allowed errors; null if it must succeed. */
  readonly errors: RegExp | null;
  readonly mayComplete: boolean;
}

const behaviours: Readonly<Record<string, Behaviour>> = {
  complete: { share: 58, make: ordinary, errors: null, mayComplete: true },
  cancelled: {
    share: 12,
    make: ordinary,
    cancelMs: (random) => random() * 5,
    errors: /^run\.cancelled$/,
    mayComplete: true,
  },
  'spin cancelled': {
    share: 3,
    make: spin,
    cancelMs: (random) => random() * 10,
    errors: /^run\.cancelled$/,
    mayComplete: false,
  },
  'many tensors': { share: 9, make: manyTensors, errors: null, mayComplete: true },
  'many tensors cancelled': {
    share: 3,
    make: manyTensors,
    cancelMs: (random) => random() * 8,
    errors: /^run\.cancelled$/,
    mayComplete: true,
  },
  'wrong program': { share: 7, make: broken, errors: /^native\.bad-program$/, mayComplete: false },
  'device memory': { share: 4, make: () => huge('device'), errors: /^run\.out-of-memory$/, mayComplete: false },
  'pinned memory': {
    share: 4,
    make: () => huge('pinned'),
    errors: /^run\.(out-of-memory|pinned-budget)$/,
    mayComplete: false,
  },
};

/** Does one random thing and returns its name. Rejects if it didn't end as expected. */
export async function soakOnce(engine: Engine, random: Random): Promise<string> {
  const [name, behaviour] = choose(random);
  const controller = new AbortController();
  const delay = behaviour.cancelMs?.(random);
  const timer = delay === undefined ? undefined : setTimeout(() => controller.abort(), delay);
  try {
    const { info } = await engine.run(behaviour.make(random), { signal: controller.signal });
    if (!behaviour.mayComplete) throw new Error(`${name}: it completed`);
    if (info.verification.bytesWrong > 0) throw new Error(`${name}: ${info.verification.bytesWrong} bytes are wrong`);
  } catch (thrown) {
    const isExpected = thrown instanceof CopyscopeError && behaviour.errors?.test(thrown.code) === true;
    if (!isExpected) throw thrown;
  } finally {
    clearTimeout(timer);
  }
  return name;
}

function choose(random: Random): readonly [string, Behaviour] {
  let left = random() * 100;
  for (const entry of Object.entries(behaviours)) {
    left -= entry[1].share;
    if (left < 0) return entry;
  }
  throw new Error('the shares add up to less than a hundred');
}
