/** The workflow of CI can't run here: what it names is there. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Job {
  readonly 'runs-on': string;
  readonly needs?: string;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> };
  readonly steps: readonly Step[];
}
const workflow: { readonly jobs: Readonly<Record<string, Job>>; readonly permissions: unknown } = parse(
  readFileSync('.github/workflows/ci.yml', 'utf8'),
);
const { scripts, engines } = JSON.parse(readFileSync('package.json', 'utf8'));
const jobs = Object.entries(workflow.jobs);
const steps = jobs.flatMap(([, job]) => job.steps);

describe('the workflow', () => {
  it('runs scripts that there are', () => {
    const named = steps.flatMap(({ run = '' }) =>
      [...run.matchAll(/npm (?:run )?([\w:-]+)/g)].map(([, name = '']) => name),
    );
    expect(named.length).toBeGreaterThan(5);
    for (const name of named.filter((one) => one !== 'ci')) expect(scripts, name).toHaveProperty([name]);
  });

  it("runs others' actions at one commit each, which a tag that moves can't change", () => {
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used.length).toBeGreaterThan(5);
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
  });

  it('tests on three systems, and on the oldest Node that what ships runs on and those that are kept', () => {
    const { matrix } = workflow.jobs['test']?.strategy ?? { matrix: {} };
    expect(matrix['system']?.map((system) => String(system).split('-')[0])).toEqual(['ubuntu', 'windows', 'macos']);
    const nodes = [
      ...(matrix['node'] ?? []),
      ...(matrix['include'] ?? []).map((one) => (one as { node: number }).node),
    ];
    expect(nodes).toEqual(expect.arrayContaining([20, 22, 24]));
    expect(readFileSync('scripts/npm-package.mjs', 'utf8')).toContain("engines = { node: '>=20.");
    expect(engines.node).toMatch(/^>=22\./);
  });

  it('needs only jobs that there are, ends, and may write nothing', () => {
    for (const [name, job] of jobs) {
      if (job.needs !== undefined) expect(Object.keys(workflow.jobs), name).toContain(job.needs);
      expect(job, name).toHaveProperty('timeout-minutes');
      for (const step of job.steps)
        expect(
          [step.uses, step.run].filter((one) => one !== undefined),
          name,
        ).toHaveLength(1);
    }
    expect(workflow.permissions).toEqual({ contents: 'read' });
  });
});
