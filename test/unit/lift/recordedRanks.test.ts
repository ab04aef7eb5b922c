/**
 * Programs of two ranks that bench/gpu/ranks/ranks.py ran on two H200, as torch.profiler and copyscope record took them
 * down. The functions of ranks.py say what is right to do first: it was written down before Copyscope gave an answer.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MergedRanks } from '../../../core/import/mergedRanks.ts';
import { readRecording } from '../../../core/import/recorded/recording.ts';
import { type TraceAnswers, traceAnswers } from '../../../core/lift/answers.ts';
import { collectivesOf } from '../../../core/lift/collectives.ts';
import { ranksIn, rankTrace } from '../../../core/trace/ranks.ts';
import type { Run } from '../../../core/trace/run.ts';
import { importTraceFile } from '../../../host/library/importTrace.ts';
import { h200Costs as costs } from '../machine/toy.ts';

const folder = 'test/fixtures/ranks-h200';

async function profiled(name: string): Promise<Run> {
  const merged = new MergedRanks();
  for (const rank of [0, 1]) merged.add(await importTraceFile(`${folder}/${name}.rank${rank}.json.gz`, 'test'));
  return merged.finish(name);
}

function recorded(name: string): Run {
  const files = [0, 1].map((rank) => gunzipSync(readFileSync(`${folder}/${name}.rank${rank}.cprec.gz`)));
  return readRecording(files, { name, version: 'test', modifiedAt: new Date(0) });
}

/** Distances of the ends of collectives of both ranks, ascending; of those that run in every step. */
function apart({ trace }: Run): number[] {
  const [first, second] = ranksIn(trace).map((rank) => collectivesOf(rankTrace(trace, rank)));
  return [...(first ?? [])]
    .flatMap(([key, { endNs }]) => {
      const other = second?.get(key)?.endNs ?? [];
      return endNs.length < 4 ? [] : Array.from(endNs, (ns, at) => Math.abs(ns - (other[at] ?? Number.NaN)));
    })
    .sort((a, b) => a - b);
}

const exposedOf = ({ ranks = [] }: TraceAnswers): number[] =>
  ranks.map(({ parts }) => parts.find(({ part }) => part === 'communication')?.ns ?? 0);

const nothing = /^Nothing to gain from transfers/;

describe.each([
  ['device_bound', [113_505, 111_265], nothing],
  ['communication_bound', [1_885_979, 1_913_756], /are communication between devices/],
  [
    'slow_rank',
    [15_056_444, 111_073],
    /^The other ranks wait for rank 1: .* Give all ranks the same work: to 17\.5 ms/,
  ],
  ['loader_rank', [21_274_921, 106_463], /are the host loading data.*load in enough worker processes/],
  ['offloaded', [1_095_774, 4_560_289], /are operators on the host.*run these operators on the device/],
  ['accumulated', [299_008, 294_656], nothing],
])('%s, by the traces of both ranks', (name, exposedNs, right) => {
  it('has the exposed communication that exposed.py works out, and the right first advice', async () => {
    const run = await profiled(name);
    const answers = traceAnswers(run, costs);
    for (const [rank, ns] of exposedOf(answers).entries()) {
      expect(Math.abs(ns - (exposedNs[rank] ?? 0))).toBeLessThan(0.001 * ns);
    }
    expect(answers.answer).toMatch(right);
    const ends = apart(run);
    expect(ends.length).toBeGreaterThanOrEqual(8);
    expect(ends[Math.floor(0.7 * ends.length)]).toBeLessThan(20_000);
  });
});

describe.each([
  ['slow_rank', /Give all ranks the same work/],
  ['loader_rank', /own host work/],
])('%s, by a recording of both ranks', (name, right) => {
  it('has a group of lanes for each rank, one clock, and the rank that the other waits for', () => {
    const run = recorded(name);
    expect(ranksIn(run.trace)).toEqual(['[rank0]', '[rank1]']);
    expect(run.info.notes.filter((note) => note.startsWith('Recorded: '))).toHaveLength(1);
    const { slowest, ranks, answer } = traceAnswers(run, costs);
    expect(slowest).toBe(1);
    expect(ranks?.[0]?.waitNs).toBeGreaterThan(10e6);
    expect(answer).toMatch(right);
    const ends = apart(run);
    expect(ends[Math.floor(0.9 * ends.length)]).toBeLessThan(20_000);
  });
});
