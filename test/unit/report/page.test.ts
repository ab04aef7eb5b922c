import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { MergedRanks } from '../../../core/import/mergedRanks.ts';
import { runReport } from '../../../core/present/make.ts';
import { base64Pieces } from '../../../core/present/packed.ts';
import { reportPieces } from '../../../core/present/page.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import { PlanPart } from '../../../renderer/report/AnswersPart.tsx';
import { drawJob } from '../../support/jobTrace.ts';
import { example, smallRun } from '../host/support/runs.ts';
import { read } from '../import/support.ts';
import { h200 as profile } from '../machine/toy.ts';
import { hostileNames } from './hostileNames.ts';
import { partsOf } from './partsOf.ts';

const page = '<title>%TITLE%</title><!--data--><script>program</script>';
const options = { createdAt: '2026-11-25T09:00:00.000Z', copyscope: '1.0.0', withPaths: true };

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(piece);
  return Buffer.concat(parts).toString();
}

describe('the file of a report', () => {
  it.each(hostileNames)('holds %j as data and as text, never as markup', async (name) => {
    const run = smallRun({ ...example(), name, description: name }, 'cuda');
    const made = runReport([{ run, origin: 'recorded', profile: null, replayWith: null }], options);
    const text = await textOf(reportPieces(page, made));
    const [title = ''] = /<title>[\s\S]*?<\/title>/.exec(text) ?? [];
    expect(title.slice(7, -8)).not.toMatch(/[<>"']/);
    // Apart from the title there is only base64.
    const rest = text.replace(title, '').replace('<script>program</script>', '');
    expect(rest.replace(/<script type="application\/octet-stream" id="[\w-]+">[A-Za-z0-9+/=]*<\/script>\n/g, '')).toBe(
      '',
    );
    const { document, runs } = partsOf(text);
    expect(document.title).toBe(name);
    expect(decodeRun(runs[0] ?? new Uint8Array()).info.experiment?.name).toBe(name);
  });

  it('tells how far it is, to the end', async () => {
    const run = smallRun(example(), 'cuda');
    const made = runReport([{ run, origin: 'recorded', profile: null, replayWith: null }], options);
    const told: (readonly [number, number])[] = [];
    await textOf(reportPieces(page, made, (bytes, of) => told.push([bytes, of])));
    const last = told.at(-1);
    expect(last?.[0]).toBe(last?.[1]);
    expect(told.length).toBeGreaterThan(1);
  });
});

it('has a table of the ranks of a job', async () => {
  const merged = new MergedRanks();
  const computeNs = (rank: number): number => (rank === 1 ? 9e6 : 5e6);
  for (const { text } of drawJob({ clocksNs: [0, 137_250_000], computeNs })) merged.add(await read(text));
  const run = merged.finish('job');
  const { document } = runReport([{ run, origin: 'recorded', profile, replayWith: profile }], options);
  const [answers] = document.runs.flatMap((one) => one.answers ?? []);
  if (answers === undefined) throw new Error('the report has no answers');
  const markup = renderToStaticMarkup(createElement(PlanPart, { answers }));
  expect(markup).toContain('The others wait most for rank 1');
  expect(markup.match(/<th scope="row">\d<\/th>/g)).toHaveLength(2);
});

it('base64 is that of Node, however the bytes come', async () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, at) => (at * 37) % 256);
  for (const step of [1, 2, 3, 7, 1000]) {
    async function* pieces() {
      for (let from = 0; from < bytes.length; from += step) yield bytes.subarray(from, from + step);
    }
    expect(await textOf(base64Pieces(pieces()))).toBe(Buffer.from(bytes).toString('base64'));
  }
});
