import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes a sweep of three chunk sizes by these numbers of streams, which is simulated in a moment. */
export function sweepFile(folder: string, { streams = [1, 2] }: { readonly streams?: readonly number[] } = {}): string {
  const path = join(folder, 'sweep.json');
  const sweep = {
    format: 'copyscope/sweep',
    version: 1,
    name: 'Chunks',
    base: { template: 'chunked-pipeline', parameters: { bytes: '4 MiB' } },
    axes: [
      { parameter: 'chunkBytes', values: ['1 MiB', '2 MiB', '4 MiB'] },
      { parameter: 'streams', values: streams },
    ],
  };
  writeFileSync(path, JSON.stringify(sweep));
  return path;
}
