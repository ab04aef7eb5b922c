/** What a machine noted of runs that another one asked for: it is listed as it can be true, and nothing else goes. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Jobs } from '../../../host/machines/jobs.ts';
import { taken, Wrong } from '../judge.ts';
import type { Kind } from '../kind.ts';
import { mutatedJson } from '../mutateText.ts';

const id = '6f1c1f0e-6a5b-4f3c-8a9e-0d1c2b3a4f5e';
const ended = 2 ** 31 - 2;
const meta = { name: 'a', engine: 'cpu', startedAt: '2026-11-20T09:00:00.000Z', pid: ended, node: hostname() };

export const jobKinds: Readonly<Record<string, Kind>> = {
  jobs: {
    make: (random) => {
      const isMeta = random.chance(0.5);
      const isKept = random.chance(0.5);
      const parts = { parts: '/nonexistent/copyscope-record-abc123/parts', pid: ended, name: 'a', host: 'b' };
      const input = mutatedJson(isMeta ? meta : parts, random);
      return {
        input,
        run: async () => {
          const folder = mkdtempSync(join(tmpdir(), 'copyscope-fuzz-jobs-'));
          const at = (name: string): string => join(folder, 'jobs', id, name);
          try {
            mkdirSync(at(''), { recursive: true });
            writeFileSync(join(folder, 'mine'), 'x');
            writeFileSync(at('meta.json'), isMeta ? input : JSON.stringify(meta));
            writeFileSync(at('program.json'), isMeta ? JSON.stringify(parts) : input);
            if (isKept) writeFileSync(at('run.arrow'), 'x');
            const jobs = await taken(() => new Jobs(join(folder, 'jobs')).list());
            if (!existsSync(join(folder, 'mine'))) throw new Wrong('a file of somebody is gone');
            return (jobs?.length ?? 0) > 0;
          } finally {
            rmSync(folder, { recursive: true, force: true });
          }
        },
      };
    },
  },
};
