/** Statements of lessons about recorded runs agree with the shipped runs, and with the runs that run.sh records. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { experimentOf, lessons, recordedRun } from './support.ts';

const root = join(import.meta.dirname, '../../..');
const used = lessons.flatMap((lesson) =>
  Object.entries(lesson.experiments).map(([name, declared]) => ({ lesson, name, declared })),
);

describe('recorded runs of lessons', () => {
  it('that texts link to ship', () => {
    const links = lessons.flatMap(({ steps }) =>
      steps.flatMap(({ text }) => [...text.matchAll(/\(run:([^)]+)\)/g)].map(([, id = '']) => id)),
    );
    expect(links).toContain('lessons/training-before');
    for (const id of links) expect(existsSync(join(root, `assets/runs/${id}.arrow`)), id).toBe(true);
  });

  it('are named by the lessons as soon as they ship, under the name of their example', () => {
    for (const { lesson, declared } of used) {
      const ships = existsSync(join(root, `assets/runs/${declared.example}.arrow`));
      expect(declared.recorded, `${lesson.id}: ${declared.example}`).toBe(ships ? declared.example : 'none yet');
    }
  });

  it('are runs of the very experiment, made on an H200 and complete', () => {
    const named = used.filter(({ declared }) => declared.recorded !== 'none yet');
    expect(named.length).toBeGreaterThan(3);
    for (const { lesson, name } of named) {
      const run = recordedRun(lesson, name);
      expect(run?.info.status).toBe('complete');
      expect(run?.info.engine).toBe('cuda');
      expect(run?.info.device?.name).toContain('H200');
      const { iterations: _iterations, warmups: _warmups, ...environment } = experimentOf(lesson, name).environment;
      expect(run?.info.experiment).toMatchObject({
        ...experimentOf(lesson, name),
        environment,
        description: expect.any(String),
      });
    }
  });

  it('have just the wrong bytes that the texts count', () => {
    let counted = 0;
    for (const lesson of lessons) {
      const texts = [lesson.differs, ...lesson.steps.map(({ text }) => text)].join('\n');
      const checks = Object.keys(lesson.experiments)
        .flatMap((name) => recordedRun(lesson, name)?.info.verification.checks ?? [])
        .map(({ bytesWrong, bytesChecked }) => `${bytesWrong} of ${bytesChecked}`);
      for (const [found] of texts.matchAll(/[\d,]+\s+of\s+[\d,]+(?=\s+bytes)/g)) {
        expect(checks, lesson.id).toContain(found.replaceAll(',', '').replace(/\s+/g, ' '));
        counted += 1;
      }
    }
    expect(counted).toBeGreaterThan(3);
  });
});
