/** The process that keeps the runs of one session: it listens on a socket of its user, and ends by itself. */
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { forkEngine } from '../engine/child.ts';
import { EngineSupervisor } from '../engine/supervisor.ts';
import { programFolder } from '../paths.ts';
import { slurmWorks } from '../slurm/works.ts';
import { clearGoneSockets } from './goneSockets.ts';
import { Jobs } from './jobs.ts';
import { Keeper } from './keeper.ts';

/** `begins`: whether its engine is wanted at once. */
export function keep(path: string, begins: boolean, idleMs: number): void {
  clearGoneSockets(dirname(path));
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
