/** A port that is reserved for a test while nothing listens on it. */
import { mkdirSync, rmdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Below the ports that systems assign themselves (Linux: from 32768, macOS and Windows: from 49152). */
const [first, count] = [20_000, 10_000];

export interface HeldPort {
  readonly port: number;
  release(): void;
}

/** Reserves a port: other tests get other ones. */
export async function holdPort(): Promise<HeldPort> {
  const start = Math.floor(Math.random() * count);
  for (let step = 0; step < count; step += 1) {
    const port = first + ((start + step) % count);
    const lock = join(tmpdir(), `copyscope-test-port-${port}`);
    if (!isMade(lock)) continue;
    const release = (): void => rmdirSync(lock);
    if (await isFree(port)) return { port, release };
    release();
  }
  throw new Error(`no port from ${first} to ${first + count - 1} is free`);
}

function isMade(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
