/**
 * Writes a trace in the format of PyTorch's profiler with any number of events, and the mix and members of a recorded
 * training step: operators inside operators, calls, flows, kernels, copies on a side stream. Not random, so that every
 * run of a benchmark reads the same bytes.
 */
import { closeSync, openSync, writeSync } from 'node:fs';

const header = `{
  "schemaVersion": 1,
  "deviceProperties": [{ "id": 0, "name": "Generated", "totalGlobalMem": 1, "computeMajor": 9, "computeMinor": 0, "numSms": 132 }],
  "cuda_driver_version": 13000,
  "baseTimeNanoseconds": 1790857026000000000,
  "traceEvents": [
`;
const baseUs = 4_292_136_684_827;
const flushAt = 1 << 20;
const copyEvery = 40;

/** Returns an operator, its call, both ends of its flow and its kernel or copy: five events. */
function group(index: number): string[] {
  const at = baseUs + index * 12;
  const copy = index % copyEvery === 0;
  const ids = `"External id": ${index}`;
  const host = '"pid": 576, "tid": 576';
  const correlation = index + 1;
  const call = copy ? 'cudaMemcpyAsync' : 'cudaLaunchKernel';
  const operator = copy
    ? 'aten::copy_'
    : ['aten::mul', 'aten::add_', 'aten::relu', 'aten::cudnn_convolution'][index % 4];
  const device = copy
    ? `{ "ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pinned -> Device)", "pid": 0, "tid": 13, "ts": ${at + 9}.125, "dur": 300.5, "args": { ${ids}, "device": 0, "stream": 13, "correlation": ${correlation}, "bytes": 16777216 } }`
    : `{ "ph": "X", "cat": "kernel", "name": "void kernel_${index % 64}<float>(int, float*)", "pid": 0, "tid": 7, "ts": ${at + 10}.250, "dur": 9.125, "args": { ${ids}, "queued": 0, "device": 0, "stream": 7, "correlation": ${correlation}, "grid": [512, 1, 1], "block": [128, 1, 1] } }`;
  return [
    `{ "ph": "X", "cat": "cpu_op", "name": "${operator}", ${host}, "ts": ${at}.125, "dur": 9.000, "args": { ${ids}, "Ev Idx": ${index} } }`,
    `{ "ph": "X", "cat": "cuda_runtime", "name": "${call}", ${host}, "ts": ${at + 3}.500, "dur": 4.750, "args": { ${ids}, "cbid": 211, "correlation": ${correlation} } }`,
    `{ "ph": "s", "id": ${correlation}, ${host}, "ts": ${at + 3}.500, "cat": "ac2g", "name": "ac2g" }`,
    device,
    `{ "ph": "f", "id": ${correlation}, "pid": 0, "tid": 7, "ts": ${at + 10}.250, "cat": "ac2g", "name": "ac2g", "bp": "e" }`,
  ];
}

/** Returns a launch and its kernel of 2 µs, as in a loop of small operations without an operator around them. */
function tinyGroup(index: number): string[] {
  const at = baseUs + index * 5;
  const correlation = index + 1;
  return [
    `{ "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 576, "tid": 576, "ts": ${at}.500, "dur": 3.250, "args": { "correlation": ${correlation} } }`,
    `{ "ph": "X", "cat": "kernel", "name": "kernel_${scattered(index) % 64}", "pid": 0, "tid": 7, "ts": ${at + 4}.125, "dur": 2.000, "args": { "device": 0, "stream": 7, "correlation": ${correlation} } }`,
  ];
}

/** Returns a hash: the same in each run of a benchmark, and without a period that looks like a step. */
function scattered(index: number): number {
  const mixed = Math.imul(index ^ (index >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 12)) >>> 0;
}

/** A training step's mix, or only tiny events: each is a row, and no pattern repeats. */
export const largeTraces = { mix: group, tiny: tinyGroup } as const;

/** Writes `events` events, rounded up to whole groups, to `path`. */
export function writeLargeTrace(path: string, events: number, kind: keyof typeof largeTraces = 'mix'): void {
  const made = largeTraces[kind];
  const file = openSync(path, 'w');
  let text = header;
  const groups = Math.ceil(events / made(0).length);
  for (let index = 0; index < groups; index += 1) {
    text += `${index === 0 ? '' : ',\n'}${made(index).join(',\n')}`;
    if (text.length < flushAt) continue;
    writeSync(file, text);
    text = '';
  }
  writeSync(file, `${text}\n]}\n`);
  closeSync(file);
}
