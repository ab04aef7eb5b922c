/**
 * The recorder's library in a program that plays CUDA with a stand-in for CUPTI: the content of its files, for each end
 * of the program, and the command around it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RecordedProcess } from '../../core/import/recorded/recordedProcess.ts';
import { callRoles, copyCallBytes, recordKinds, u64 } from '../../core/import/recorded/records.ts';
import { decodeRun } from '../../core/trace/arrow.ts';
import { readCallStackName } from '../../core/trace/callStack.ts';
import { readRow, type TraceRow } from '../../core/trace/rows.ts';
import { readRecordingFolder, recordProgram } from '../../host/record/recordProgram.ts';
import { sourceLines } from '../../host/record/sourceLines.ts';
import { newFolder } from '../support/newFolder.ts';
import { buildRecorder, noRecorder, works } from '../support/recorder.ts';
import { copyscope } from '../unit/host/support/terminal.ts';
import { longestMs } from './built.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

function ran(command: string, args: readonly string[], env = process.env) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, env, encoding: 'utf8', timeout: 600_000 });
  return { status, stderr, output: `${stdout}${stderr}` };
}

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

const recorderEnvironment = (built: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  LD_LIBRARY_PATH: join(built, 'standin'),
  CUDA_INJECTION64_PATH: join(built, 'libcopyscope_record.so'),
  NVTX_INJECTION64_PATH: join(built, 'libcopyscope_record.so'),
  COPYSCOPE_RECORD_FOLDER: folder,
  ...more,
});

const processes = (): RecordedProcess[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.cprec'))
    .map((name) => new RecordedProcess(readFileSync(join(folder, name))))
    .sort((a, b) => a.header.startNs - b.header.startNs);

function play(built: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const player = join(built, 'copyscope_record_player');
  const env = recorderEnvironment(built, more);
  const { status, stderr } = ran(player, args, env);
  return { status, stderr, files: processes() };
}

/** Returns the bytes of each copy: the number of its step. */
function copiedSteps(recorded: RecordedProcess): number[] {
  const found: number[] = [];
  recorded.visit((kind, view, at) => {
    if (kind === recordKinds.copy) found.push(u64(view, at + 16));
  });
  return found.sort((a, b) => a - b);
}

const upTo = (steps: number): number[] => Array.from({ length: steps }, (_, index) => index + 1);

describe.skipIf(noRecorder !== null)(`the recorder${noRecorder === null ? '' : ` (skipped: ${noRecorder})`}`, () => {
  let built: string;
  beforeAll(() => {
    built = buildRecorder();
  }, longestMs);

  it('counts every copy, kernel, wait and range of several threads, and passes the exit code on', () => {
    const { status, files } = play(built, ['3', '200']);
    expect(status).toBe(3);
    expect(files).toHaveLength(1);
    const [file] = files as [RecordedProcess];
    expect([file.copies.count, file.kernels, file.waits, file.endedInOrder]).toEqual([600, 1800, 600, true]);
    expect(copiedSteps(file)).toEqual(upTo(200).flatMap((step) => [step, step, step]));
    expect(file.threads.size).toBe(3);
  });

  it('takes a call of the runtime once, though it calls the driver', () => {
    const calls: string[] = [];
    const [file] = play(built, ['1', '2']).files as [RecordedProcess];
    file.visit((kind, view, at) => {
      if (kind === recordKinds.call) calls.push(file.text(view.getUint32(at + 24, true), ''));
    });
    const step = ['cudaMemcpyAsync', ...Array.from({ length: 3 }, () => 'cudaLaunchKernel'), 'cudaStreamSynchronize'];
    expect(calls).toEqual(['cudaHostAlloc', ...step, ...step]);
  });

  it('tells from where to where each copy goes', () => {
    const places: number[][] = [];
    const [file] = play(built, ['1', '3'], { COPYSCOPE_RECORD_LIGHT: '1' }).files as [RecordedProcess];
    file.visit((kind, view, at, length) => {
      const isCopy = kind === recordKinds.call && view.getUint8(at + 36) === callRoles.copy;
      if (isCopy && length >= copyCallBytes) places.push([u64(view, at + 57), u64(view, at + 45)]);
    });
    const [source] = places[0] ?? [];
    expect(source).toBeGreaterThan(0);
    expect(places).toEqual(upTo(3).map(() => [source, 0x7000_0000_0000]));
  });

  it("names a compiled program's own file by its whole path, however it was started", () => {
    const env = recorderEnvironment(built);
    const { status } = spawnSync('sh', ['-c', 'exec ./copyscope_record_player 1 2'], {
      cwd: built,
      env,
      timeout: longestMs,
    });
    expect(status).toBe(3);
    const [file] = processes() as [RecordedProcess];
    const named = [...file.nativeFrames.values()].map((frame) => frame.file);
    expect(named).toContain(realpathSync(join(built, 'copyscope_record_player')));
    expect(named.filter((one) => !isAbsolute(one))).toEqual([]);
  });

  it.skipIf(!works('addr2line'))("names a compiled program's lines, on every thread", async () => {
    const [file] = play(built, ['2', '40']).files as [RecordedProcess];
    const process = new RecordedProcess(readFileSync(join(folder, readdirSync(folder)[0] ?? '')));
    process.lines = await sourceLines([...process.nativeFrames.values()], longestMs);
    const lines = new Map<string, number>();
    process.visit((kind, view, at) => {
      const stack = kind === recordKinds.call ? view.getUint32(at + 28, true) : 0;
      if (stack === 0) return;
      const [innermost] = readCallStackName(process.stackName(stack) ?? '') ?? [];
      const line = `${basename(innermost?.file ?? '')}:${innermost?.line}`;
      lines.set(line, (lines.get(line) ?? 0) + 1);
    });
    const source = readFileSync(join(root, 'native/tests/record/player.cpp'), 'utf8').split('\n');
    const lineOf = (call: string): string =>
      `player.cpp:${source.findIndex((line) => line.includes(`standinCall(1, runtime, CUPTI_RUNTIME_TRACE_CBID_${call}`)) + 1}`;
    expect(Object.fromEntries(lines)).toEqual({
      [lineOf('cudaMemcpyAsync')]: file.copies.count,
      [lineOf('cudaStreamSynchronize')]: file.waits,
    });
  });

  it('leaves kernels, launches and events out in light mode', () => {
    const [file] = play(built, ['1', '50'], { COPYSCOPE_RECORD_LIGHT: '1' }).files as [RecordedProcess];
    expect([file.copies.count, file.kernels, file.waits, file.header.light]).toEqual([50, 0, 50, true]);
    const roles = new Set<number>();
    file.visit((kind, view, at) => kind === recordKinds.call && roles.add(view.getUint8(at + 36)));
    expect([...roles]).toEqual([callRoles.pin, callRoles.copy, callRoles.wait]);
  });

  it('records the steps that were asked for, and no others', () => {
    const more = { COPYSCOPE_RECORD_STEPS: '20..25', COPYSCOPE_RECORD_STEP_RANGE: 'step' };
    const [file] = play(built, ['1', '50'], more).files as [RecordedProcess];
    expect(copiedSteps(file)).toEqual([20, 21, 22, 23, 24, 25]);
    expect(file.kernels).toBe(18);
  });

  it('counts outermost ranges if no range is named', () => {
    const [file] = play(built, ['1', '50'], { COPYSCOPE_RECORD_STEPS: '3..4' }).files as [RecordedProcess];
    expect(copiedSteps(file)).toEqual([3, 4]);
  });

  it('keeps ranges of NVTX within one another, of all domains and ways to write them', async () => {
    play(built, ['1', '1', 'ranges'], { COPYSCOPE_RECORD_LINES: '0' });
    const { trace } = await readRecordingFolder(folder, 'train', '1.2.3');
    const rows = Array.from({ length: trace.count }, (_, row) => readRow(trace, row));
    const ranges = rows.filter(({ kind, name }) => kind === 'host-range' && !name.startsWith('[memory]'));
    /** Returns the ranges around a range, on the thread that it began on. */
    const around = (inner: TraceRow): string[] =>
      ranges
        .filter((outer) => outer !== inner && outer.lane.id === inner.lane.id)
        .filter(({ startNs, durationNs }) => {
          const isAround = startNs <= inner.startNs && startNs + durationNs >= inner.startNs + inner.durationNs;
          return isAround && durationNs > inner.durationNs;
        })
        .map(({ name }) => name);
    const found = ranges.map((range) => [range.name, around(range).sort().join(' < ')]);
    expect(Object.fromEntries(found.filter(([name]) => name !== 'batch'))).toEqual({
      step: '',
      epoch: '',
      'step é': 'epoch < prefetch',
      decode: 'batch < epoch < prefetch < step é',
      'gradients ∇': 'epoch < prefetch < step é',
      // It begins in the epoch and ends after it.
      prefetch: '',
    });
    expect(
      found
        .filter(([name]) => name === 'batch')
        .map(([, outer]) => outer)
        .sort(),
    ).toEqual(['epoch < prefetch', 'epoch < prefetch < step é']);
  });

  it('records several spans of steps, and times the steps around them', () => {
    const more = { COPYSCOPE_RECORD_STEPS: '20..22,30..31', COPYSCOPE_RECORD_STEP_RANGE: 'step' };
    const [file] = play(built, ['1', '60'], more).files as [RecordedProcess];
    expect(copiedSteps(file)).toEqual([20, 21, 22, 30, 31]);
    // Ten steps before, those between, and ten after.
    expect([file.stepsNs.recorded.length, file.stepsNs.plain.length]).toEqual([5, 10 + 7 + 10]);
  });

  it('leaves alone a child that was forked while another thread began a range', () => {
    const { status, stderr } = play(built, ['1', '1', 'forks']);
    expect({ status, stderr }).toEqual({ status: 3, stderr: '' });
  });

  it('keeps a file for a child that was forked before CUDA was initialised, and one for its parent', () => {
    const { files } = play(built, ['1', '30', 'fork']);
    expect(files.map(({ copies, endedInOrder }) => [copies.count, endedInOrder])).toEqual([
      [30, true],
      [30, true],
    ]);
    expect(new Set(files.map(({ header }) => header.pid)).size).toBe(2);
  });

  it('keeps a file for the image that a process becomes by exec', () => {
    const { files } = play(built, ['1', '30', 'exec']);
    expect(files).toHaveLength(2);
    expect(files[1]?.copies.count).toBe(30);
  });

  it.each([
    [{ COPYSCOPE_STANDIN_TAKEN: 'CUPTI for Kineto' }, 2, /^CUPTI for Kineto$/],
    [{ COPYSCOPE_STANDIN_VERSION: '120000' }, 1, /is CUPTI version 120000, and/],
  ])('says why it records nothing, and leaves the program alone: %o', (more, code, words) => {
    const { status, files } = play(built, ['1', '30'], more);
    expect(status).toBe(3);
    expect(files[0]?.refusal).toEqual({ code, reason: expect.stringMatching(words) });
  });

  it('leaves the program alone where no file can be written', () => {
    const { status, stderr } = play(built, ['1', '30'], { COPYSCOPE_RECORD_FOLDER: join(folder, 'missing') });
    expect(status).toBe(3);
    expect(stderr).toMatch(/nothing is recorded: No file can be written in/);
  });

  it('stops recording where the disk is full, and leaves the program alone', () => {
    const limited = spawnSync(
      'bash',
      ['-c', `ulimit -f 64; exec "$0" 2 3000 > /dev/null`, join(built, 'copyscope_record_player')],
      {
        env: recorderEnvironment(built),
        encoding: 'utf8',
      },
    );
    expect(limited.status).toBe(3);
    expect(limited.stderr).toMatch(/recording has ended, since its file can't be written on/);
    const [file] = processes();
    // Recorded parts are complete: the calls come first.
    expect(file?.waits).toBeGreaterThan(50);
  });

  it('leaves all but the last moments where the program is killed at any time', async () => {
    for (const lastLine of [1000, 4000, 10_000]) {
      const player = spawn(join(built, 'copyscope_record_player'), ['2', '100000000'], {
        env: recorderEnvironment(built),
      });
      // Begins to wait now, since the player may end before the last line is read.
      const ended = once(player, 'exit');
      let lines = 0;
      let written = 0;
      for await (const _ of createInterface({ input: player.stdout })) {
        lines += 1;
        // Data in the file during the program must be in it afterwards.
        if (lines === lastLine) {
          // The player is stopped, since it would write on while its file is read.
          player.kill('SIGSTOP');
          written = processes().reduce((sum, { copies }) => sum + copies.count, 0);
          player.kill('SIGCONT');
        }
        if (lines === lastLine + 500) {
          player.kill('SIGKILL');
          break;
        }
      }
      await ended;
      const [file] = processes() as [RecordedProcess];
      expect(file.copies.count).toBeGreaterThanOrEqual(written);
      expect(file.damagedChunks).toBe(0);
      expect(file.endedInOrder).toBe(false);
      for (const name of readdirSync(folder)) rmSync(join(folder, name));
    }
  });

  describe('with Python', () => {
    const python = works('python3');
    const readsFrames = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))']).status === 0;
    const prelude = `import ctypes, os, threading
cupti = ctypes.CDLL('libcupti.so.13')
def inject(): ctypes.CDLL(os.environ['CUDA_INJECTION64_PATH']).InitializeInjection()
def call(id, result=ctypes.c_int(0)):
    for begins in (1, 0): cupti.standinCall(begins, 2, id, 1, None, ctypes.byref(result))
`;
    const runPython = (name: string, text: string): void => {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${prelude}${text}`);
      const ended = spawnSync('python3', [path], {
        env: recorderEnvironment(built),
        encoding: 'utf8',
        timeout: longestMs,
      });
      expect(ended.status, ended.stderr).toBe(0);
    };

    it.skipIf(!python)('names the line of each copy and wait, on every thread', () => {
      runPython(
        'program.py',
        `inject()
def step():
    call(41)
    call(131)
threads = [threading.Thread(target=lambda: [step() for _ in range(50)]) for _ in range(4)]
[one.start() for one in threads]; [one.join() for one in threads]
step()
`,
      );
      const [file] = processes() as [RecordedProcess];
      const lines = new Map<string, number>();
      file.visit((kind, view, at) => {
        if (kind !== recordKinds.call) return;
        const frames = readCallStackName(file.stackName(view.getUint32(at + 28, true)) ?? '') ?? [];
        const key = `${file.text(view.getUint32(at + 24, true), '')} ${frames[1]?.function}:${frames[1]?.line}`;
        lines.set(key, (lines.get(key) ?? 0) + 1);
      });
      expect(Object.fromEntries(lines)).toEqual({ 'cudaMemcpyAsync step:8': 201, 'cudaStreamSynchronize step:9': 201 });
    });

    // The freeing thread holds Python's lock and waits for the allocator's; the waiting thread holds the allocator's.
    it.skipIf(!python)('lets threads free memory while the allocator waits for the device', () => {
      runPython(
        'program.py',
        `allocator = os.path.join(os.environ['LD_LIBRARY_PATH'], 'libc10_cuda.so')
allocate, free = ctypes.CDLL(allocator).standinAllocate, ctypes.PyDLL(allocator).standinFree
inject()
going = True
def churn():
    while going: free()
threads = [threading.Thread(target=churn) for _ in range(3)]
[one.start() for one in threads]
for _ in range(100): allocate()
going = False
[one.join() for one in threads]
call(131)
`,
      );
      const [file] = processes() as [RecordedProcess];
      // The allocator's waits are counted without a line; the program's own has one.
      expect([file.waits, file.stacksTaken]).toEqual([101, 1]);
    });

    /** Returns the functions of each copy's stack, innermost first. */
    const copyStacks = (): string[] => {
      const [file] = processes() as [RecordedProcess];
      const found: string[] = [];
      file.visit((kind, view, at) => {
        if (kind !== recordKinds.call || view.getUint8(at + 36) !== callRoles.copy) return;
        const frames = readCallStackName(file.stackName(view.getUint32(at + 28, true)) ?? '') ?? [];
        found.push(frames.map((frame) => frame.function).join(' '));
      });
      return found;
    };

    /** Named like PyTorch's function. It calls no Python, so its own frame is the innermost. */
    const autograd = `backward = ctypes.CDLL(os.path.join(os.environ['LD_LIBRARY_PATH'], 'libstandin_autograd.so')).standinBackward
def _engine_run_backward(*calls):
    for one in calls: one()
def train(): _engine_run_backward(backward)
inject()
`;

    it.skipIf(!python)("names the caller of autograd for what autograd's own thread does, and no other", () => {
      runPython('torch/autograd/graph.py', `${autograd}for _ in range(20): train()\nbackward()\n`);
      const calls = Array.from({ length: 20 }, () => '_engine_run_backward train <module>');
      expect(copyStacks()).toEqual([...calls, '']);
    });

    // Before 3.11 a code object doesn't name its class: frames of torch.profiler's own file are in the reader's test.
    it.skipIf(!readsFrames)('says that torch.profiler ran, which found CUPTI taken', async () => {
      runPython(
        'torch/autograd/profiler.py',
        `class profile:
    def __enter__(self): self.result = cupti.cuptiSubscribe(ctypes.byref(ctypes.c_void_p()), None, None)
    def __exit__(self, *_): call(131)
inject()
with profile() as _: call(41)
call(41)
`,
      );
      const [file] = processes() as [RecordedProcess];
      expect([file.waits, file.stacksTaken]).toEqual([1, 3]);
      const { info } = await readRecordingFolder(folder, 'train', '1.2.3');
      expect(info.notes.join('\n')).toMatch(/ran torch\.profiler while it was recorded/);
    });
  });

  it('never counts a range of a library as a step, also if it is around or before those of the program', () => {
    const { files } = play(built, ['1', '30', 'library'], { COPYSCOPE_RECORD_STEPS: '3..4' });
    expect(copiedSteps(files[0] as RecordedProcess)).toEqual([3, 4]);
  });

  it('records a stretch of time if no range of the program appears, and says so', async () => {
    const more = { COPYSCOPE_RECORD_STEPS: '3..4', COPYSCOPE_RECORD_STEPS_WITHIN_MS: '0' };
    play(built, ['1', '3', 'unmarked'], more);
    const { info, trace } = await readRecordingFolder(folder, 'train', '1.2.3');
    expect(trace.count).toBeGreaterThan(0);
    expect(info.notes.join('\n')).toMatch(/No NVTX range of the program appeared/);
  });

  it('says that no range appeared if the program was over before a stretch of time was recorded', async () => {
    play(built, ['1', '3', 'library-only'], { COPYSCOPE_RECORD_STEPS: '3..4' });
    await expect(readRecordingFolder(folder, 'train', '1.2.3')).rejects.toMatchObject({
      code: 'record.nothing',
      message: expect.stringContaining('No NVTX range of the program appeared'),
    });
  });

  it('leaves every other block of steps out once a recording of all steps is long, and times both', () => {
    const [file] = play(built, ['1', '50'], { COPYSCOPE_RECORD_BLOCKS_AFTER_MS: '0' }).files as [RecordedProcess];
    // The first step was long enough; then ten are skipped, ten recorded, and so on.
    const recorded = [1, ...upTo(10).map((step) => 11 + step), ...upTo(10).map((step) => 31 + step)];
    expect(copiedSteps(file)).toEqual(recorded);
    expect([file.stepsNs.recorded.length, file.stepsNs.plain.length]).toEqual([21, 29]);
  });

  describe('copyscope record', () => {
    const cli = (env: NodeJS.ProcessEnv, ...args: string[]) =>
      copyscope(['record', '--out', join(folder, 'run.arrow'), ...args], '', { context: { environment: env } });
    const environment = (): NodeJS.ProcessEnv => ({
      PATH: process.env['PATH'],
      LD_LIBRARY_PATH: join(built, 'standin'),
      COPYSCOPE_RECORD_LIBRARY: join(built, 'libcopyscope_record.so'),
      COPYSCOPE_RECORD_DRIVER: '1',
    });
    // A shell, since the player's own lines would go to this test's output.
    const player = (): string[] => [
      '--',
      'sh',
      '-c',
      `exec ${join(built, 'copyscope_record_player')} 2 40 > /dev/null`,
    ];

    it("makes one run, and ends with the program's own exit code", async () => {
      const { exitCode, err } = await cli(environment(), ...player());
      expect(exitCode).toBe(3);
      expect(err).toMatch(/^Recorded: 80 copies \(.*\), 240 kernels, 80 waits, in one process\.$/m);
      const run = decodeRun(readFileSync(join(folder, 'run.arrow')));
      expect(run.info).toMatchObject({ status: 'complete', imported: { format: 'copyscope-record', name: 'run' } });
      expect(readdirSync(folder)).toEqual(['run.arrow']);
    });

    it('records a program that goes to another folder before it uses CUDA, whatever its file is named by', async () => {
      const out = relative(process.cwd(), join(folder, 'run.arrow'));
      const away = ['--', 'sh', '-c', `cd / && exec ${join(built, 'copyscope_record_player')} 1 10 > /dev/null`];
      const { exitCode, err } = await copyscope(['record', '--out', out, ...away], '', {
        context: { environment: environment() },
      });
      expect({ exitCode, err }).toEqual({ exitCode: 3, err: expect.stringMatching(/^Recorded: 10 copies/) });
      expect(readdirSync(folder)).toEqual(['run.arrow']);
    });

    it('counts while the program runs, and keeps what was recorded where it is asked to end', async () => {
      const asked = new AbortController();
      const parts = join(folder, 'parts');
      let counted = 0;
      const exitCode = await recordProgram({
        command: ['sh', '-c', `exec ${join(built, 'copyscope_record_player')} 1 2000 wait > /dev/null`],
        settings: { light: false, lines: true },
        environment: environment(),
        folder: parts,
        signal: asked.signal,
        patienceMs: 0,
        onCounts: ({ copies }) => {
          if (copies === 0 || counted > 0) return;
          counted = copies;
          asked.abort();
        },
      });
      expect(exitCode).toBe(128 + constants.signals.SIGINT);
      const run = await readRecordingFolder(parts, 'train', '1.2.3');
      expect(run.info.notes.join('\n')).toMatch(/ended abnormally/);
      const copies = Number(/Recorded: (\d+) copies/.exec(run.info.notes[0] ?? '')?.[1]);
      expect(copies).toBeGreaterThanOrEqual(counted);
    });

    it('ends with 3 and the reason where CUPTI is of another version', async () => {
      const ended = ['--', 'sh', '-c', `${join(built, 'copyscope_record_player')} 1 1 > /dev/null; exit 0`];
      const { exitCode, err } = await cli({ ...environment(), COPYSCOPE_STANDIN_VERSION: '120000' }, ...ended);
      expect(exitCode).toBe(3);
      expect(err).toMatch(/CUPTI can't be used: .* is CUPTI version 120000/);
    });

    it('ends with 1 where the program does not use CUDA', async () => {
      const { exitCode, err } = await cli(environment(), '--', 'true');
      expect(exitCode).toBe(1);
      expect(err).toMatch(/no process of the program initialised CUDA/);
    });

    it.each([
      [
        { CUDA_INJECTION64_PATH: '/opt/nsys/injection.so' },
        ['--', 'true'],
        /another tool records this program already/,
      ],
      [{}, ['--steps', '1..2', '--delay', '3', '--', 'true'], /--steps chooses when to record/],
    ])('ends with 2 and what to do: %o %o', async (more, args, words) => {
      const { exitCode, err } = await cli({ ...environment(), ...more }, ...args);
      expect({ exitCode, err }).toEqual({ exitCode: 2, err: expect.stringMatching(words) });
      expect(readdirSync(folder)).toEqual([]);
    });
  });
});

it('copyscope record ends with 3 before it starts the program if there is no GPU', async () => {
  const driver = ['/proc/driver/nvidia/version', '/dev/nvidiactl', '/dev/nvidia0', '/dev/dxg'].some(existsSync);
  if (driver) return;
  const { exitCode, err } = await copyscope(['record', '--', 'touch', join(folder, 'started')], '');
  expect({ exitCode, err }).toEqual({ exitCode: 3, err: expect.stringMatching(/there is no NVIDIA driver/) });
  expect(readdirSync(folder)).toEqual([]);
});
