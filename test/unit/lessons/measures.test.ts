/** Measures and ratios of checks, on recorded runs and on simulated ones of the same programs. */
import { describe, expect, it } from 'vitest';
import { type CheckResult, checkSchema, evaluateCheck } from '../../../core/apps/lessons/check.ts';
import { measureSchema } from '../../../core/apps/lessons/measure.ts';
import { takeMeasure } from '../../../core/apps/lessons/measureRun.ts';
import { type Played, play, playedRun } from '../../../core/apps/lessons/played.ts';
import { experimentOf, lessons, profile, recordedRun } from './support.ts';

function declared(lesson: string, name: string) {
  const found = lessons.find(({ id }) => id === lesson);
  if (found === undefined) throw new Error(`there is no lesson ${lesson}`);
  return { lesson: found, name };
}

function recorded(lesson: string, name: string): Played {
  const { lesson: found } = declared(lesson, name);
  const run = recordedRun(found, name);
  if (run === null) throw new Error(`${lesson} has no recorded run of ${name}`);
  return playedRun(run);
}

const simulated = (lesson: string, name: string): Promise<Played> =>
  play(experimentOf(declared(lesson, name).lesson, name), profile);

const take = (played: Played, measure: object): number =>
  takeMeasure(played, measureSchema.parse(measure)) ?? Number.NaN;

const check = (played: Played, written: object, others: Record<string, Played> = {}): CheckResult =>
  evaluateCheck(checkSchema.parse({ says: 'so it is', ...written }), played, new Map(Object.entries(others)));

describe('measures', () => {
  it('lead is from start to start, and changes its sign with the order', async () => {
    const [read, copy] = [{ kind: 'host-read' }, { kind: 'copy' }];
    for (const played of [recorded('early-read', 'early'), await simulated('early-read', 'early')]) {
      const lead = take(played, { measure: 'lead', of: read, until: copy });
      expect(lead).toBeGreaterThan(4e6);
      expect(take(played, { measure: 'lead', of: copy, until: read })).toBe(-lead);
    }
  });

  it('span holds what lies between the first and the last, and time does not', () => {
    const played = recorded('six-ways', 'six');
    const of = { kind: 'copy', label: 'pageable, blocking' };
    const [span, time] = [take(played, { measure: 'span', of }), take(played, { measure: 'time', of })];
    expect(span).toBeGreaterThan(1.2 * time);
    expect(span).toBeLessThan(take(played, { measure: 'makespan' }));
  });

  it('elapsed is what the run asked the events for, and the rows of a simulation tell the same', async () => {
    const events = { measure: 'elapsed', start: 'begin', end: 'end' };
    const played = recorded('event-times', 'wrong');
    const { elapsedTimes = [], iterations } = played.run.info;
    expect(elapsedTimes.length).toBeGreaterThan(1);
    const shown = elapsedTimes.find(({ iteration }) => iteration === iterations.representative);
    expect(take(played, events)).toBe(shown?.durationNs);
    expect(take(await simulated('event-times', 'wrong'), events)).toBeLessThan(100_000);
    expect(take(played, { measure: 'elapsed', start: 'end', end: 'begin' })).toBeNaN();
  });

  it('wrong bytes are counted, in all buffers or in one, and of how many', async () => {
    const played = recorded('source-in-flight', 'pinned');
    const all = check(played, { measure: 'wrong-bytes', atLeast: 1 });
    expect(all).toMatchObject({ holds: true, told: true, found: '2,097,152 of 8,388,608 B' });
    const target = check(played, { measure: 'wrong-bytes', buffer: 'target', atMost: 0 });
    expect(target).toMatchObject({ holds: false, told: true, found: '2,097,152 of 4,194,304 B' });
    const source = check(played, { measure: 'wrong-bytes', buffer: 'source', atMost: 0 });
    expect(source).toMatchObject({ holds: true, told: true, found: '0 of 4,194,304 B' });
    const undecided = check(await simulated('source-in-flight', 'pinned'), { measure: 'wrong-bytes', atLeast: 1 });
    expect(undecided).toMatchObject({ holds: true, told: false });
  });

  it('against compares with other rows, of the same run or of another', () => {
    const loose = recorded('graphs', 'loose');
    const graph = recorded('graphs', 'graph');
    const launches = { kind: 'host-call', name: 'cudaLaunchKernel' };
    const graphs = { kind: 'host-call', name: 'cudaGraphLaunch' };
    const counts = { measure: 'count', of: graphs, against: launches };
    expect(check(graph, { ...counts, atLeast: 0.4, atMost: 0.4 })).toMatchObject({ holds: true, found: '0.4 ×' });
    const between = { ...counts, comparedTo: 'loose', atMost: 0.02 };
    expect(check(graph, between, { loose })).toMatchObject({ holds: true, found: '0.019 ×' });
    expect(check(graph, { ...counts, of: launches, against: { kind: 'memset' }, atMost: 1 }).holds).toBe(false);
  });
});
