/** Documents of JSON and text: values that are wrong by their reader, and letters that are wrong by the reader of text. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { parseGateRules } from '../../../core/gate/parse.ts';
import { requireLesson } from '../../../core/lessons/parse.ts';
import { requireSweep } from '../../../core/sweep/parse.ts';
import { parseRunNotes } from '../../../core/trace/notes.ts';
import { parseManifest } from '../../../host/service/bundle/manifest.ts';
import { readKept } from '../../../host/service/keptSweep.ts';
import type { Random } from '../../unit/support/random.ts';
import { readers } from '../../unit/support/readers.ts';
import { taken, Wrong } from '../judge.ts';
import type { Kind } from '../kind.ts';
import { mutatedJson, mutatedLetters, mutatedValue } from '../mutateText.ts';
import { asset, exampleDocuments, repository } from '../seeds.ts';

/** A right document, by the name of its reader. */
const right = (name: string): unknown => readers[name]?.document;

/** An experiment that was taken is taken again as it is written, and stays the same. */
function readExperiment(text: string): void {
  const once = JSON.stringify(requireExperiment(text));
  if (JSON.stringify(requireExperiment(once)) !== once)
    throw new Wrong('the experiment changes when it is written and read');
}

const oneOf = (documents: readonly unknown[], read: (text: string) => unknown): Kind => ({
  make: (random) => textAttempt(mutatedJson(random.pick(documents), random), read),
});

function textAttempt(input: string, read: (text: string) => unknown) {
  return { input, run: async () => (await taken(() => [read(input)])) !== null };
}

const lessonFolder = join(repository, 'assets/lessons');
const lessons = readdirSync(lessonFolder)
  .filter((name) => name.endsWith('.md'))
  .map((name) => readFileSync(join(lessonFolder, name), 'utf8'));

/** A lesson is YAML with text behind it: so letters are what is changed. */
function mutatedLesson(random: Random): string {
  let text = random.pick(lessons);
  for (let count = 1 + random.below(4); count > 0; count -= 1) {
    text = mutatedLetters(text, random);
    if (random.chance(0.3)) text = text.replace(/\d+/g, (digits) => (random.chance(0.1) ? `${digits}e99` : digits));
    if (random.chance(0.2)) text = text.replace('\n', `\n${random.pick(yaml)}\n`);
  }
  return text;
}

const yaml = [
  'a: &a [*a]',
  '? [x] : y',
  '<<: *x',
  '__proto__: {a: 1}',
  '- - - -',
  'x: !!js/function "f"',
  '\t- a',
  '%YAML 9',
];

export const documentKinds: Readonly<Record<string, Kind>> = {
  experiment: oneOf(exampleDocuments, readExperiment),
  sweep: oneOf([right('sweep')], requireSweep),
  profile: oneOf(
    ['h200', 'rtx-4090', 'rtx-5090'].map((name) => JSON.parse(asset(`profiles/${name}.json`))),
    (text) => readers['profile']?.read(jsonOf(text)),
  ),
  notes: oneOf([right('notes')], parseRunNotes),
  'gate rules': oneOf([right('rules of a gate')], parseGateRules),
  manifest: oneOf([right('manifest of a bundle')], parseManifest),
  'kept sweep': oneOf([right('kept sweep')], (text) => readKept('s', text, '')),
  lesson: { make: (random) => textAttempt(mutatedLesson(random), (text) => requireLesson('fuzz', text)) },
  values: {
    make: (random) => {
      const reader = random.pick(Object.values(readers));
      const value = mutatedValue(reader.document, random);
      return {
        input: JSON.stringify(value) ?? 'undefined',
        run: async () => (await taken(() => [reader.read(value)])) !== null,
      };
    },
  },
};

/** Its reader takes values; text that is no JSON is another reader's matter. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
