/**
 * Checks the copy engine's promises on this machine's GPU, each as a line "name: figure (limit) held": one run of one script,
 * all data verified, PyTorch in the same run if Python has it. Writes $OUT/done-when.json.
 *
 *   node dist/gpu/done-when.js            COPY_DEVICE=cpu-device:0 tries it without a GPU, with small payloads
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { median } from '../../core/statistics.ts';
import { endMeasuring, measure as measureBench } from '../../native/bench.ts';
import type { NativeMeasurement } from '../../native/copy/nativeCopies.ts';
import { HeldLines } from '../../test/gpu/held.ts';
import { experiment, runOnGpu } from '../../test/gpu/support.ts';
import { copyCounts, type MeasureRequest, measureCopies, trimCopies } from '../support/measureCopies.ts';
import { smallPayloads } from './payloads.ts';
import { startCopyTimes } from './startCopyTimes.ts';
import { submitting } from './submitting.ts';

const device = process.env['COPY_DEVICE'] ?? 'cuda:0';
const isTrial = !device.startsWith('cuda');
const tensors = isTrial ? 20 : 1000;
const large = Array<number>(tensors).fill(4_000_000);
const small = smallPayloads['1000 x 4000 B'] ?? [];
const MiB = 2 ** 20;
/** Rate of ACCV-Lab's multi-tensor copier with the first payload on an H200, in a separate run. */
const accvLabBytesPerSecond = 16.0e9;

const lines = new HeldLines(isTrial);
const times: Record<string, readonly number[]> = {};
let allocations = 0;
let wrongBytes = 0;
let checkedBytes = 0;

function measured(name: string, request: Omit<MeasureRequest, 'device'>): NativeMeasurement {
  const found = measureCopies({ device, ...request });
  times[name] = [...found.ns];
  allocations += found.allocations;
  wrongBytes += found.wrong;
  checkedBytes += found.checked;
  return found;
}

/** Nanoseconds of each repetition. */
const timesOf = (name: string, request: Omit<MeasureRequest, 'device'>): readonly number[] => [
  ...measured(name, request).ns,
];

/** How many times as fast as the reference each repetition was. */
const ratios = (own: readonly number[], reference: number): number[] => own.map((ns) => reference / ns);
const inUs = (ns: readonly number[]): number[] => ns.map((value) => value / 1000);
const us = ' us';

/** Runs a section. If it fails, reports its figures as not measured and continues with the others. */
async function section(names: readonly string[], body: () => void | Promise<void>): Promise<void> {
  const before = lines.lines.length;
  try {
    await body();
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    for (const name of names.slice(lines.lines.length - before)) lines.missing(name, why);
    process.exitCode = 1;
  }
}

interface TorchRow {
  readonly name: string;
  readonly medianUs: number;
  readonly wrongTensors: number;
}

/** PyTorch's `.to` loops of the same payloads, measured now; the reason where they can't be. */
function torchRows(): readonly TorchRow[] | string {
  if (isTrial) return 'a trial without a GPU';
  const script = 'bench/gpu/pytorch_copies.py';
  const { status, stdout, stderr } = spawnSync('python3', [script, '--loops'], { encoding: 'utf8', timeout: 120_000 });
  if (status !== 0) return `python3 ended with ${status}: ${stderr.trim().split('\n').at(-1) ?? ''}`;
  process.stdout.write(stdout);
  try {
    const file = join(process.env['OUT'] ?? '.', 'pytorch-copies.json');
    return (JSON.parse(readFileSync(file, 'utf8')) as { rows: TorchRow[] }).rows;
  } catch {
    return stdout.trim().split('\n').at(-1) ?? 'PyTorch gave no figures';
  }
}

const torch = torchRows();
function againstTorch(name: string, row: string, own: readonly number[], least: number | null): void {
  const found = typeof torch === 'string' ? undefined : torch.find((one) => one.name === row);
  if (typeof torch === 'string') lines.missing(name, torch);
  else if (found === undefined) lines.missing(name, `PyTorch measured no "${row}"`);
  else lines.add(name, ratios(own, found.medianUs * 1000), ' times', least === null ? null : { least });
}

console.log(
  `${device}, ${cpus().length} cores, ${cpus()[0]?.model ?? ''}${isTrial ? ' (a trial: nothing here is a result)' : ''}`,
);

const title = `${tensors} x 4 MB`;
for (const direction of ['h2d', 'd2h'] as const) {
  const label = direction.toUpperCase();
  const least = direction === 'h2d' ? 0.95 : 0.9;
  await section([`${label} ${title} pageable, pipelined / pinned, non-blocking`], () => {
    const loop = { direction, sizes: large, memory: 'pinned', strategy: 'non-blocking-loop' } as const;
    const pinned = timesOf(`${label} pinned`, loop);
    const own = timesOf(`${label} pipelined`, { direction, sizes: large });
    const bytesPerSecond = own.map((ns) => (tensors * 4e6) / (ns / 1e9));
    lines.add(`${label} ${title} pageable, pipelined / pinned, non-blocking`, ratios(own, median([...pinned])), '', {
      least,
    });
    lines.add(
      `${label} ${title} pageable, pipelined`,
      bytesPerSecond.map((rate) => rate / 1e9),
      ' GB/s',
      null,
    );
    againstTorch(
      `${label} ${title} pageable, pipelined / PyTorch .to loop`,
      `${label} 1000 x 4 MB, pageable, .to loop`,
      own,
      direction === 'h2d' ? 7 : null,
    );
    if (direction === 'd2h') return;
    const versusCopier = bytesPerSecond.map((rate) => rate / accvLabBytesPerSecond);
    lines.add(`${label} ${title} pageable, pipelined / ACCV-Lab's 16.0 GB/s`, versusCopier, ' times', { least: 3 });
  });
}

const many = { direction: 'h2d', repetitions: 501, warmups: 20 } as const;
for (const [name, mostUs] of [
  ['528 tensors of scenes', 60],
  ['1000 x 4000 B', 250],
] as const) {
  const sizes = smallPayloads[name] ?? [];
  await section([`H2D ${name}, inside the engine`, `H2D ${name}, startCopy from JavaScript`], () => {
    const inside = timesOf(`H2D ${name}`, { ...many, sizes });
    lines.add(`H2D ${name}, inside the engine`, inUs(inside), us, { most: mostUs });
    const started = startCopyTimes(name, isTrial ? 25 : 1005);
    wrongBytes += started.wrong;
    checkedBytes += started.checked;
    times[`startCopy ${name}`] = started.ns;
    lines.add(`H2D ${name}, startCopy from JavaScript`, inUs(started.ns), us, { most: 250 });
    againstTorch(`H2D ${name}, inside the engine / PyTorch .to loop`, `H2D ${name}, .to loop`, inside, null);
  });
}

await section(['D2H 1000 x 4000 B, gathered by a kernel', 'D2D 1000 x 4000 B, one kernel'], () => {
  for (const [direction, name] of [
    ['d2h', 'D2H 1000 x 4000 B, gathered by a kernel'],
    ['d2d', 'D2D 1000 x 4000 B, one kernel'],
  ] as const) {
    const fewer = { direction, sizes: small, repetitions: 101, warmups: 10 } as const;
    const loop = timesOf(`${name}: loop`, { ...fewer, strategy: 'non-blocking-loop' });
    const own = timesOf(name, fewer);
    lines.add(name, inUs(own), us, null);
    lines.add(`${name} / a copy each`, ratios(own, median([...loop])), ' times', { least: 1 });
  }
});

for (const direction of ['h2d', 'd2h'] as const) {
  const name = `${direction.toUpperCase()} 1 GiB pinned, engine / bare cudaMemcpyAsync`;
  await section([name], () => {
    const { ns, bareNs } = measured(name, {
      direction,
      sizes: [isTrial ? MiB : 1024 * MiB],
      memory: 'pinned',
      strategy: 'non-blocking-loop',
      besideBare: true,
      repetitions: 41,
    });
    times[`${name}: bare`] = [...bareNs];
    // Each against the bare copy next to it, over the same memory: what else the machine does meets both.
    const pairs = [...ns].map((own, pair) => (bareNs[pair] ?? Number.NaN) / own);
    lines.add(name, pairs, '', { least: 0.99 });
  });
}

lines.add('Staging ring by default', [copyCounts(device).ringBytes / MiB], ' MiB', { most: 64 });
lines.add('Allocations in a steady state', [allocations], '', { most: 0 });
trimCopies(device);

const submitName = '1,000 copies of 4 KB submitted by the executor / a loop by hand';
if (isTrial) lines.missing(submitName, 'a trial without a GPU');
else
  await section([submitName], async () => {
    const rounds: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const { ns, callNs, wrong } = await measureBench(submitting);
      wrongBytes += wrong;
      rounds.push(median([...ns].map((value, sample) => value / (callNs[sample] ?? Number.NaN))));
    }
    endMeasuring();
    lines.add(submitName, rounds, '', { most: 1.05 });
  });

await section(['The same as an operation of an experiment', 'Recording, for each copy'], async () => {
  const payload = { tensors, bytes: 4_000_000 };
  const asOperation = experiment({
    name: 'multi-tensor copy',
    environment: { iterations: 5, warmups: 1 },
    streams: [{ id: 's' }],
    threads: [{ id: 'main', operations: [{ op: 'multiCopy', payload, strategy: 'pipelined', stream: 's' }] }],
  });
  const { info } = await runOnGpu(asOperation);
  wrongBytes += info.verification.bytesWrong;
  checkedBytes += info.verification.bytesChecked;
  const direct = median([...(times['H2D pipelined'] ?? [Number.NaN])]);
  const { plainWallNs, recordedWallNs } = info.iterations;
  lines.add(`H2D ${title} as an operation / as a library call`, ratios(plainWallNs, direct), '', null);
  const copies = experiment({
    name: 'recording',
    environment: { iterations: 51, warmups: 5 },
    buffers: [
      { id: 'host', memory: 'pinned', bytes: 4096 },
      { id: 'device', memory: 'device', bytes: 4096 },
    ],
    streams: [{ id: 's' }],
    threads: [
      {
        id: 'main',
        operations: [
          { op: 'repeat', count: 1000, operations: [{ op: 'copy', src: 'host', dst: 'device', stream: 's' }] },
          { op: 'synchronizeStream', stream: 's' },
        ],
      },
    ],
  });
  const { iterations } = (await runOnGpu(copies)).info;
  const off = median([...iterations.plainWallNs]);
  lines.add(
    'Recording by CUPTI, more for each copy',
    iterations.recordedWallNs.map((ns) => (ns - off) / 1000),
    ' ns',
    null,
  );
  lines.add(
    'Recording of the multi-tensor copy, more in all',
    recordedWallNs.map((ns) => (ns / median([...plainWallNs]) - 1) * 100),
    ' %',
    null,
  );
});

lines.add(`Wrong bytes of ${checkedBytes} verified`, [wrongBytes], '', { most: 0 });
const results = { device, isTrial, date: new Date().toISOString(), cores: cpus().length, lines: lines.lines, times };
writeFileSync(join(process.env['OUT'] ?? '.', 'done-when.json'), JSON.stringify(results, null, 1));
if (isTrial) process.exitCode = 0;
