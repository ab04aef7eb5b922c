/** Writes the experiments of the corpus, and those of assets/examples/verdicts, into a folder: node writeCorpus.js FOLDER. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { corpus } from './corpus.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node writeCorpus.js FOLDER');
for (const { id, experiment } of corpus()) {
  const path = join(folder, `${id}.json`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(experiment, null, 2)}\n`);
}
cpSync('assets/examples/verdicts', join(folder, 'verdicts'), { recursive: true });
console.log(`${corpus().length} experiments of the corpus and those of assets/examples/verdicts are in ${folder}`);
