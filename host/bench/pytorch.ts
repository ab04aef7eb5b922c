/** Runs assets/bench/pytorch.py where this machine has Python with PyTorch, and reads what it found. */
import { spawn } from 'node:child_process';
import { z } from 'zod';
import type { PeerResult, PeerTask } from '../../core/bench/comparison.ts';

export interface PeerOutcome {
  readonly status: 'done' | 'waived' | 'failed';
  readonly reason?: string;
  readonly version?: string;
  readonly results: readonly PeerResult[];
}

export type Peer = (tasks: readonly PeerTask[], signal: AbortSignal) => Promise<PeerOutcome>;

export interface PeerOptions {
  readonly script: string;
  /** Default: python3. */
  readonly python?: string;
  readonly limitMs?: number;
}

const defaultLimitMs = 300_000;
const mostOutput = 64 * 1024 * 1024;
/** The script's exit code where PyTorch, or a GPU for it, is missing; its last line on stderr says which. */
const missingExitCode = 3;

const answer = z.object({
  version: z.string(),
  results: z.array(z.object({ item: z.number().int(), call: z.string(), ns: z.array(z.number().nonnegative()) })),
});

export const pytorchPeer =
  ({ script, python = 'python3', limitMs = defaultLimitMs }: PeerOptions): Peer =>
  async (tasks, signal) => {
    if (tasks.length === 0) return waived('no payload of this benchmark has a counterpart in PyTorch');
    const { code, stdout, stderr, error, late } = await execute(
      python,
      script,
      JSON.stringify({ tasks }),
      limitMs,
      signal,
    );
    const said = stderr.trim().split('\n').at(-1) ?? '';
    if (error !== null) return waived(`${python} could not be started (${error})`);
    if (signal.aborted) return waived('the benchmark was cancelled');
    if (late) return failed(`PyTorch was not done within ${limitMs / 1000} s`);
    if (code === missingExitCode) return waived(said);
    if (code !== 0) return failed(`${python} ended with exit code ${code}: ${said}`);
    const parsed = parse(stdout);
    return parsed === null ? failed('its output is not what the script should print') : { status: 'done', ...parsed };
  };

const waived = (reason: string): PeerOutcome => ({ status: 'waived', reason, results: [] });
const failed = (reason: string): PeerOutcome => ({ status: 'failed', reason, results: [] });

function parse(text: string): z.infer<typeof answer> | null {
  try {
    return answer.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it could not be started. */
  readonly error: string | null;
  readonly late: boolean;
}

function execute(python: string, script: string, input: string, limitMs: number, signal: AbortSignal): Promise<Ended> {
  return new Promise((resolve) => {
    const limit = AbortSignal.timeout(limitMs);
    const child = spawn(python, [script], { stdio: 'pipe' });
    const kill = (): void => void child.kill('SIGKILL');
    const ends = AbortSignal.any([signal, limit]);
    if (ends.aborted) kill();
    ends.addEventListener('abort', kill, { once: true });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.length > mostOutput) kill();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-4096);
    });
    const settle = (code: number | null, error: string | null): void => {
      ends.removeEventListener('abort', kill);
      resolve({ code, stdout, stderr, error, late: limit.aborted });
    };
    child.once('error', (error: NodeJS.ErrnoException) => settle(null, error.code ?? error.message));
    child.once('close', (code) => settle(code, null));
    // It may end without reading: what it says then is in its exit code.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
