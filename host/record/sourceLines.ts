/** Lines of compiled code, from the debug information of the programs and libraries that called CUDA. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { addressKey, type NativeFrame, type SourceLines } from '../../core/import/recorded/recordedProcess.ts';
import type { StackFrame } from '../../core/trace/callStack.ts';

/** A large file without an index takes a while; a recording is better read without lines than late. */
const usualPatienceMs = 20_000;

/** Returns addr2line's line of each frame; none for unknown frames, after `patienceMs`, or without addr2line. */
export async function sourceLines(frames: readonly NativeFrame[], patienceMs = usualPatienceMs): Promise<SourceLines> {
  const until = performance.now() + patienceMs;
  const byFile = new Map<string, NativeFrame[]>();
  for (const frame of frames) byFile.set(frame.file, [...(byFile.get(frame.file) ?? []), frame]);
  const lines = new Map<string, StackFrame>();
  for (const [file, list] of byFile) {
    const leftMs = Math.ceil(until - performance.now());
    if (leftMs <= 0) break;
    if (!existsSync(file)) continue;
    const answers = await ask(file, list, leftMs);
    for (const [index, frame] of list.entries()) {
      const found = frameOf(frame, answers[2 * index], answers[2 * index + 1]);
      if (found !== null) lines.set(addressKey(frame), found);
    }
  }
  return lines;
}

/** Returns two lines for each address: the function, and `file:line`. */
async function ask(file: string, frames: readonly NativeFrame[], leftMs: number): Promise<string[]> {
  return new Promise((resolve) => {
    const tool = spawn('addr2line', ['--demangle', '--functions', '--exe', file], {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: leftMs,
    });
    const parts: Buffer[] = [];
    tool.stdout.on('data', (part: Buffer) => parts.push(part));
    tool.once('error', () => resolve([]));
    tool.stdin.on('error', () => {});
    // The last piece is empty, or a partial line if addr2line was ended.
    tool.once('close', () => resolve(Buffer.concat(parts).toString('utf8').split('\n').slice(0, -1)));
    tool.stdin.end(frames.map(({ address }) => `0x${address.toString(16)}\n`).join(''));
  });
}

/** Returns null if the place is unknown, which addr2line prints as `??:0` or `??:?`. */
function frameOf(frame: NativeFrame, name: string | undefined, place: string | undefined): StackFrame | null {
  const [, file = '', line = ''] = /^(.+):(\d+)(?: \(discriminator \d+\))?$/.exec(place ?? '') ?? [];
  if (file === '' || file === '??' || line === '0') return null;
  return { file, line: Number(line), function: name === undefined || name === '??' ? frame.function : name };
}
