/**
 * Files of some megabytes that repeat a few things in one pattern: what takes time that grows as the square of a file
 * shows here, as events that all lie within one another, begin at once, or share a number.
 */
import { profileCosts } from '../../../core/cost/profileCosts.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { readPyTorchTrace } from '../../../core/import/kineto/pytorchTrace.ts';
import { traceAnswers } from '../../../core/lift/answers.ts';
import { parseProfile } from '../../../core/profile/profile.ts';
import { summarizeRun } from '../../../core/summary/summary.ts';
import { encodeRun } from '../../../core/trace/arrow.ts';
import type { Random } from '../../unit/support/random.ts';
import { taken } from '../judge.ts';
import type { Kind } from '../kind.ts';
import { asset, exampleDocuments } from '../seeds.ts';

const costs = profileCosts(parseProfile(JSON.parse(asset('profiles/h200.json'))));
const mostEvents = 30_000;

/** How a field of the event `index` of `count` is told, for all events of a file alike. */
type Pattern = (index: number, count: number) => number;

const patterns = (random: Random): Pattern =>
  random.pick<Pattern>([
    () => 0,
    (index) => index,
    (index) => 10 * index,
    (index, count) => count - index,
    (index) => index % 3,
    (index) => index % 1000,
    (index, count) => 2 * (count - index),
    (index) => (index * 7919) % 10_007,
    (index) => Math.floor(index / 100),
  ]);

const shapes = [
  { cat: 'kernel', names: ['k', 'gemm'] },
  { cat: 'gpu_memcpy', names: ['Memcpy HtoD (Pageable -> Device)', 'Memcpy DtoH (Device -> Pinned)'] },
  {
    cat: 'cuda_runtime',
    names: ['cudaLaunchKernel', 'cudaMemcpyAsync', 'cudaStreamWaitEvent', 'cudaEventRecord', 'cudaStreamSynchronize'],
  },
  { cat: 'cpu_op', names: ['aten::copy_', 'aten::cat', 'aten::mm'] },
  { cat: 'python_function', names: ['train.py(4): step', '<built-in f>'] },
  { cat: 'user_annotation', names: ['ProfilerStep#1', 'load'] },
  { cat: 'cuda_sync', names: ['Stream Wait Event'] },
];

/** Each shape of event has its patterns of time, place and number. */
function largeTrace(random: Random): string {
  const count = 1 + random.below(mostEvents);
  const used = shapes
    .filter(() => random.chance(0.6))
    .map((shape) => ({
      ...shape,
      ts: patterns(random),
      dur: patterns(random),
      tid: random.chance(0.8) ? () => 7 : patterns(random),
      name: patterns(random),
      isNumbered: random.chance(0.2),
      correlation: patterns(random),
    }));
  if (used.length === 0) return '{"traceEvents":[]}';
  const events = Array.from({ length: count }, (_, at) => {
    const { cat, names, ts, dur, tid, name, isNumbered, correlation } = used[at % used.length] as (typeof used)[0];
    const index = Math.floor(at / used.length);
    const place = name(index, count);
    const text = `${names[place % names.length]}${isNumbered ? place : ''}`;
    const args = `"device":0,"stream":${tid(index, count)},"correlation":${correlation(index, count) + 1},"bytes":${1 + place}`;
    return `{"ph":"X","cat":"${cat}","name":"${text}","pid":${cat === 'kernel' ? 0 : 42},"tid":${tid(index, count)},"ts":${ts(index, count)},"dur":${dur(index, count)},"args":{${args}}}`;
  });
  return `{"traceEvents":[${events.join(',')}]}`;
}

async function* inOne(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function useTrace(text: string): Promise<boolean> {
  const run = await taken(() =>
    readPyTorchTrace(inOne(text), { name: 'large', version: '0', modifiedAt: new Date(0) }),
  );
  if (run === null) return false;
  encodeRun(run);
  summarizeRun(run);
  await taken(() => traceAnswers(run, costs));
  return true;
}

interface Listed {
  threads: { operations: unknown[] }[];
}

/** An example with its operations, buffers or streams written very often. */
function largeExperiment(random: Random): string {
  const document = structuredClone(random.pick(exampleDocuments)) as Listed & Record<string, unknown>;
  const lists = [
    ...document.threads.map(({ operations }) => operations),
    ...Object.values(document).filter(Array.isArray),
  ];
  const list = random.pick(lists);
  const whole = [...list];
  for (let times = 1 + random.below(2000); times > 0; times -= 1) for (const one of whole) list.push(one);
  return JSON.stringify(document);
}

export const largeKinds: Readonly<Record<string, Kind>> = {
  'large trace': {
    make: (random) => {
      const input = largeTrace(random);
      return { input, run: () => useTrace(input) };
    },
  },
  'large experiment': {
    make: (random) => {
      const input = largeExperiment(random);
      return { input, run: async () => (await taken(() => requireExperiment(input))) !== null };
    },
  },
};
