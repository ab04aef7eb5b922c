/**
 * Measures copies with Copyscope and with PyTorch's copy_ on the same machine in the same run. Prints both bandwidths and
 * their ratio. It omits PyTorch's below 1 MiB: a loop of calls from Python would measure the interpreter. Writes
 * `$OUT/beside-pytorch.json`. Run it with `node dist/gpu/beside-pytorch.js`.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measurement } from '../../core/apps/calibrate/measurement.ts';
import { median } from '../../core/statistics.ts';
import { formatBytes, formatRate, MiB } from '../../core/units.ts';
import { endMeasuring, measure } from '../../native/bench.ts';
import { report } from '../../test/gpu/support.ts';

const bytesPerSample = 256 * MiB;
const tasks = [MiB, 16 * MiB, 256 * MiB].flatMap((bytes) =>
  (['pinned', 'pageable'] as const).flatMap((memory) =>
    (['h2d', 'd2h'] as const).map((direction): Measurement => {
      const count = Math.max(4, bytesPerSample / bytes);
      return { kind: 'copy', direction, memory, device: 0, bytes, capacity: bytes, count, samples: 7, warmups: 2 };
    }),
  ),
);
const own: number[] = [];
for (const task of tasks) {
  const { ns, wrong, bytes } = await measure(task);
  if (wrong > 0) throw new Error(`${wrong} bytes of ${JSON.stringify(task)} are wrong`);
  own.push(bytes / (median([...ns]) / 1e9));
}
endMeasuring();

const input = JSON.stringify({ tasks: tasks.map((task) => ({ ...task, pinned: task.memory === 'pinned' })) });
const options = { input, encoding: 'utf8', timeout: 300_000 } as const;
const { status, stdout, stderr } = spawnSync('python3', ['bench/gpu/pytorch_bench.py'], options);
if (status !== 0) report(`PyTorch: not measured (${stderr.trim().slice(-300)})`);
const { times, version } = (status === 0 ? JSON.parse(stdout) : { times: [], version: null }) as {
  readonly times: readonly (readonly number[])[];
  readonly version: string | null;
};
const rows = tasks.map(({ direction, memory, bytes, count }, index) => {
  const [copyscope = 0, theirs] = [own[index], times[index]];
  const pytorch = theirs === undefined ? null : (bytes * count) / (median([...theirs]) / 1e9);
  const beside = pytorch === null ? '' : `, PyTorch ${formatRate(pytorch)}, ratio ${(copyscope / pytorch).toFixed(2)}`;
  report(`${direction.toUpperCase()} ${memory}, ${formatBytes(bytes)}: ${formatRate(copyscope)}${beside}`);
  return { direction, memory, bytes, copyscope, pytorch };
});
writeFileSync(
  join(process.env['OUT'] ?? 'dist/gpu/out', 'beside-pytorch.json'),
  JSON.stringify({ version, rows }, null, 1),
);
