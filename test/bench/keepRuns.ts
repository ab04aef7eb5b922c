/**
 * Keeps recorded runs as small fixtures: of a large one only the most typical iterations.
 *   node test/bench/run.mjs keepRuns FROM TO [BYTES]
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { decodeRun } from '../../core/trace/arrow.ts';
import { smallRun } from './support/smallRun.ts';

const [from, to, mostBytes = '120000'] = process.argv.slice(2);
if (from === undefined || to === undefined) throw new Error('usage: keepRuns FROM TO [BYTES]');
let total = 0;
for (const file of readdirSync(from, { recursive: true, encoding: 'utf8' }).sort()) {
  if (!file.endsWith('.arrow')) continue;
  const kept = smallRun(decodeRun(readFileSync(join(from, file))), Number(mostBytes));
  mkdirSync(dirname(join(to, file)), { recursive: true });
  writeFileSync(join(to, file), kept);
  total += kept.length;
}
console.log(`${(total / 1e6).toFixed(1)} MB in ${to}`);
