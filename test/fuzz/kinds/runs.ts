/** Arrow files: an accepted one can be explained, kept and exported. */

import { summarizeRun } from '../../../core/explain/summary/summary.ts';
import { exportRun } from '../../../core/export/exportRun.ts';
import { exportFormats } from '../../../core/export/formats.ts';
import { decodeRun, encodeRun } from '../../../core/trace/arrow.ts';
import { taken } from '../judge.ts';
import type { Kind } from '../kind.ts';
import { mutatedArrow } from '../mutateArrow.ts';
import { mutatedBytes } from '../mutateBytes.ts';
import { smallRuns } from '../seeds.ts';

async function use(input: Uint8Array, isExported: boolean): Promise<boolean> {
  const run = await taken(() => decodeRun(input));
  if (run === null) return false;
  await taken(() => decodeRun(encodeRun(run)));
  await taken(() => summarizeRun(run));
  if (isExported) for (const format of exportFormats) await taken(() => [...exportRun(run, format)]);
  return true;
}

export const runKinds: Readonly<Record<string, Kind>> = {
  run: {
    make: (random) => {
      const input = mutatedBytes(random.pick(smallRuns), random);
      const isExported = random.chance(0.1);
      return { input, run: () => use(input, isExported) };
    },
  },
  'run structure': {
    make: (random) => {
      const input = mutatedArrow(random.pick(smallRuns), random);
      const isExported = random.chance(0.1);
      return { input, run: () => use(input, isExported) };
    },
  },
};
