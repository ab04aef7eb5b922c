/** The process that keeps the runs of one session: it listens on a socket of its user, and ends by itself. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { forkEngine } from '../engine/child.ts';
import { EngineSupervisor } from '../engine/supervisor.ts';
import { programFolder } from '../paths.ts';
import { slurmWorks } from '../slurm/works.ts';
import { Jobs } from './jobs.ts';
import { Keeper } from './keeper.ts';

/** Takes away the sockets of keepers that were killed. The kernel lists those that something listens on. */
function clearGone(folder: string): void {
  const bound = readFileSync('/proc/net/unix', 'utf8');
  for (const name of readdirSync(folder)) {
    if (!bound.includes(join(folder, name))) rmSync(join(folder, name), { force: true });
  }
}

/** `begins`: whether its engine is wanted at once. */
export function keep(path: string, begins: boolean, idleMs: number): void {
  clearGone(dirname(path));
  const program = programFolder();
  const base = dirname(dirname(program));
  process.on('SIGHUP', () => {});
  // Nobody reads it once the keeper is ready.
  process.stderr.on('error', () => {});
  const engine = new EngineSupervisor({ spawn: () => forkEngine(join(program, 'dist/host/engine-process.js')) });
  if (begins) engine.start();
  const keeper = new Keeper({
    engine,
    jobs: new Jobs(join(base, 'jobs')),
    slurm: slurmWorks({
      folder: join(base, 'slurm'),
      start: ['sh', join(program, 'start')],
      environment: process.env,
    }),
    idleMs,
    onEnd: () => {
      rmSync(path, { force: true });
      // What was written to a socket leaves before the process does.
      server.close(() => process.exit(0));
    },
  });
  const server = createServer((socket) =>
    keeper.attach({ input: socket, output: socket, close: () => socket.destroy() }),
  );
  server.listen(path, () => process.send?.('ready'));
}
