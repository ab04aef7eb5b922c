/**
 * Keeps recorded runs as a small set of test/fixtures: of a large one only the most typical iterations.
 *   node bench/run.mjs keepRuns FROM SET [BYTES]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { decodeRun } from '../core/trace/arrow.ts';
import { packRecordings, recordings } from '../test/support/recordings.ts';
import { smallRun } from './support/smallRun.ts';

const [from, set, mostBytes = '120000'] = process.argv.slice(2);
if (from === undefined || set === undefined) throw new Error('usage: keepRuns FROM SET [BYTES]');
const folder = mkdtempSync(join(tmpdir(), 'copyscope-keep-'));
let total = 0;
for (const [id, bytes] of recordings(from)) {
  const kept = smallRun(decodeRun(bytes), Number(mostBytes));
  const file = join(folder, `${id}.arrow`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, kept);
  total += kept.length;
}
packRecordings(folder, set);
rmSync(folder, { recursive: true });
console.log(`${(total / 1e6).toFixed(1)} MB packed as ${set}.tar.gz`);
