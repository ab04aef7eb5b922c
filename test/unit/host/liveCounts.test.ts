/** Counts of a recording while its processes write. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LiveCounts } from '../../../host/record/liveCounts.ts';
import { newFolder } from '../../support/newFolder.ts';
import { RecordingBytes } from '../import/recorded/recordingBytes.ts';

const folder = newFolder();

it('adds up what the heads of chunks say, and takes of what was dropped the last', async () => {
  const counts = new LiveCounts(folder);
  expect(await counts.read()).toEqual({ processes: 0, bytes: 0, copies: 0, kernels: 0, waits: 0, dropped: 0 });
  const first = new RecordingBytes().flush({ copies: 2, kernels: 5, waits: 1 }).bytes();
  const whole = new RecordingBytes()
    .flush({ copies: 2, kernels: 5, waits: 1 })
    .flush({ copies: 1, kernels: 1, dropped: 3 })
    .flush({ copies: 1, waits: 1, dropped: 4 })
    .bytes();
  const [path, other] = [join(folder, '1.cprec'), join(folder, '2.cprec')];
  writeFileSync(path, first);
  // Half of a header, which is read next time.
  appendFileSync(path, whole.subarray(first.length, first.length + 20));
  writeFileSync(join(folder, 'notes.txt'), 'no recording');
  const half = { processes: 1, bytes: first.length + 20, copies: 2, kernels: 5, waits: 1, dropped: 0 };
  expect(await counts.read()).toEqual(half);
  appendFileSync(path, whole.subarray(first.length + 20));
  writeFileSync(other, new RecordingBytes().flush({ kernels: 1, dropped: 6 }).bytes());
  expect(await counts.read()).toMatchObject({ processes: 2, copies: 4, kernels: 7, waits: 2, dropped: 10 });
});
