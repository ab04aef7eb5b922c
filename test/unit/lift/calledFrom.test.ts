/** Copies and waits by the line that issued them: the same for a recording and for a PyTorch trace with stacks. */
import { expect, it } from 'vitest';
import { CallStacks } from '../../../core/explain/figures/callStacks.ts';
import { summarizeRun } from '../../../core/explain/summary/summary.ts';
import { groupText, verdictGroups } from '../../../core/explain/verdicts/groups.ts';
import { readRecording } from '../../../core/import/recorded/recording.ts';
import { calledFrom } from '../../../core/lift/calledFrom.ts';
import { readCallStackName } from '../../../core/trace/callStack.ts';
import { iterationOf } from '../../../core/trace/iteration.ts';
import type { Run } from '../../../core/trace/run.ts';
import { RecordingBytes, steps } from '../import/recorded/recordingBytes.ts';
import { complete, modifiedAt, read, rowsOf, traceOf } from '../import/support.ts';

const recorded = (bytes: RecordingBytes): Run =>
  readRecording([bytes.bytes()], { name: 'test', version: '1.2.3', modifiedAt });

const tableOf = ({ trace }: Run) => calledFrom(iterationOf(trace, 0));

/** Returns the recording of `steps()` as torch.profiler with_stack=True writes it: a range per function. */
function kineto(count: number, withStacks = true): Promise<Run> {
  const events = Array.from({ length: count }, (_, step) => {
    const [at, id] = [step * 100, step * 3 + 1];
    const frame = (name: string, from: number, length: number) => complete('python_function', name, at + from, length);
    const host = (name: string, from: number, length: number, correlation: number) =>
      complete('cuda_runtime', name, at + from, length, { correlation });
    const args = { device: 0, stream: 7 };
    return [
      complete('user_annotation', 'step', at, 90),
      ...(withStacks
        ? [
            frame('train.py(12): step', 0.5, 30),
            frame('nn.Module: Net_0', 0.6, 29.8),
            frame('/x/torch/nn/f.py(9): step', 0.7, 29.5),
            frame('<built-in method to of Tensor object at 0x7f>', 0.8, 29.3),
            frame('train.py(14): step', 35.5, 46),
            frame('/x/torch/nn/f.py(9): step', 35.7, 45.5),
          ]
        : []),
      host('cudaMemcpyAsync', 1, 29, id),
      complete(
        'gpu_memcpy',
        'Memcpy HtoD (Pageable -> Device)',
        at + 5,
        24,
        { ...args, correlation: id, bytes: 1 << 20 },
        7,
      ),
      host('cudaLaunchKernel', 31, 3, id + 1),
      complete('kernel', 'gemm', at + 35, 45, { ...args, correlation: id + 1 }, 7),
      host('cudaStreamSynchronize', 36, 45, id + 2),
    ];
  });
  return read(traceOf(events.flat()));
}

it('puts those of one line together, with what they take of the step', () => {
  const { lines, hasStacks, steps: rule } = tableOf(recorded(steps(4)));
  expect({ hasStacks, rule }).toEqual({ hasStacks: true, rule: 'ranges named "step"' });
  expect(lines.map(({ line, what, rows, bytes, timeNs }) => [line, what, rows.length, bytes, timeNs])).toEqual([
    ['train.py:14 in step', 'wait', 4, 0, 180_000],
    ['train.py:12 in step', 'H2D copy', 4, 4 << 20, 96_000],
  ]);
  // Shares of the 90 µs of a step.
  expect(lines.map(({ stepShare }) => stepShare)).toEqual([expect.closeTo(0.5, 6), expect.closeTo(24 / 90, 6)]);
  expect(lines[0]?.stack).toEqual([
    { file: '/x/torch/nn/f.py', line: 9, function: 'step' },
    { file: 'train.py', line: 14, function: 'step' },
  ]);
});

it('says the same of a PyTorch trace with stacks', async () => {
  const ofRun = (run: Run) =>
    tableOf(run).lines.map(({ rows, ...line }) => ({
      ...line,
      count: rows.length,
      stepShare: line.stepShare.toFixed(6),
    }));
  expect(ofRun(await kineto(4))).toEqual(ofRun(recorded(steps(4))));
});

it('gives each call the stack around it, and no other', async () => {
  const run = await kineto(2);
  const stacks = new CallStacks(iterationOf(run.trace, 0));
  const calls = rowsOf(run).flatMap(({ kind, name }, row) =>
    kind === 'host-call' || kind === 'host-sync' ? [[name, stacks.of(row).map(({ line }) => line)]] : [],
  );
  const step = [
    ['cudaMemcpyAsync', [9, 12]],
    ['cudaLaunchKernel', []],
    ['cudaStreamSynchronize', [9, 14]],
  ];
  expect(calls).toEqual([...step, ...step]);
});

it('keeps threads apart, and takes a stack that ends with its call', () => {
  const bytes = new RecordingBytes().stack(1, 12).stack(2, 14);
  bytes.call('cudaMemcpyAsync', 1000, 9000, { correlation: 1, role: 1, stack: 1 });
  bytes.copy(2000, 8000, 1, 64);
  bytes.call('cudaStreamSynchronize', 1000, 9000, { correlation: 2, role: 3, stack: 2, thread: 101 });
  bytes.call('cudaStreamSynchronize', 9000, 9500, { correlation: 3, role: 3 });
  expect(tableOf(recorded(bytes)).lines.map(({ line, what, rows }) => [line, what, rows.length])).toEqual([
    ['train.py:14 in step', 'wait', 1],
    ['train.py:12 in step', 'H2D copy', 1],
    [null, 'wait', 1],
  ]);
});

it('has one line for all where no stack was taken', async () => {
  const { lines, hasStacks } = tableOf(await kineto(2, false));
  expect(hasStacks).toBe(false);
  expect(lines.map(({ line, what, stack }) => [line, what, stack])).toEqual([
    [null, 'wait', []],
    [null, 'H2D copy', []],
  ]);
});

it.each(['recorded', 'kineto'])('verdicts name the line (%s)', async (how) => {
  const { verdicts, makespanNs } = summarizeRun(how === 'recorded' ? recorded(steps(3)) : await kineto(3));
  expect(verdicts.map(({ line }) => line)).toEqual(Array(3).fill('train.py:12 in step'));
  const [group] = verdictGroups(verdicts);
  expect(group === undefined ? '' : groupText(group, makespanNs)).toMatch(/ Issued by train\.py:12 in step\.$/);
});

it('reads back the names that it writes', () => {
  const run = recorded(steps(1));
  const name = run.trace.names.find((one) => one.startsWith('called from ')) ?? '';
  expect(readCallStackName(name)?.map(({ line }) => line)).toEqual([9, 12]);
});
