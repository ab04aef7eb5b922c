import { maxBenchCharacters, requireBench } from '../../core/bench/parse.ts';
import { readFileText } from '../common/readFileText.ts';
import { setBench } from './chosen.ts';

/** A benchmark from a file. Throws `file.too-large` or `bench-file.invalid`. */
export async function openBench(file: File): Promise<void> {
  setBench({ name: file.name, file: requireBench(await readFileText(file, maxBenchCharacters)) });
}
