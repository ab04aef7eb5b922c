import { expect, it } from 'vitest';
import type { RunSummary } from '../../../core/service/service.ts';
import { commandsNow } from '../../../renderer/palette/commands.ts';
import { assign } from '../../../renderer/store/store.ts';
import { experiment } from './exampleRun.ts';

const titles = (): string[] => commandsNow().map(({ title }) => title);
const run: RunSummary = {
  id: 'one',
  name: experiment.name,
  origin: 'measured',
  engine: 'cpu',
  status: 'running',
  createdAt: '2026-11-20T05:00:00.000Z',
  device: '',
  makespanNs: null,
  builtIn: false,
};

it('the palette offers what can be done now, and nothing else', () => {
  expect(titles()).toContain('New experiment');
  expect(titles()).not.toContain('Run what is open');
  expect(titles()).not.toContain('Cancel the run');
  expect(titles()).not.toContain('Export all of your own as a bundle');

  assign({
    page: { kind: 'experiment', id: 'a' },
    documents: { 'experiment:a': { status: 'ready', value: experiment } },
    connection: { status: 'open', problem: null },
    engine: 'sim:h200',
    profiles: [{ name: 'h200', device: 'NVIDIA H200', source: '', basis: 'measured', own: false }],
    devices: {
      ...{ devices: [], driverVersion: null, runtimeVersion: null, cupti: { found: false, detail: '', version: null } },
      engines: [{ kind: 'sim', available: true }],
    },
  });
  const selected = ['Cut', 'Duplicate', 'Ungroup', 'Draw an event edge', 'Longer or larger'];
  const idle = ['Cancel the run', 'Compare the run with another', 'Save', 'Undo', 'Redo', 'Paste', ...selected];
  expect(titles()).toEqual(expect.arrayContaining(['Run what is open', 'Save a copy', 'Add an operation']));
  for (const title of idle) expect(titles()).not.toContain(title);

  const edits = { 'experiment:a': { dirty: true, undo: 'Add copy', redo: null, beforeRemedy: null } };
  assign({ runs: { one: run }, edits, selection: { kind: 'op', id: experiment.threads[0]?.operations[0]?.id ?? '' } });
  expect(titles()).not.toContain('Run what is open');
  expect(titles()).toEqual(expect.arrayContaining(['Cancel the run', 'Save', 'Undo', ...selected.slice(0, 4)]));

  assign({ runs: { one: { ...run, status: 'complete' } } });
  expect(titles()).toEqual(expect.arrayContaining(['Run what is open', 'Compare the run with another']));
  expect(titles()).not.toContain('Cancel the run');

  assign({ connection: { status: 'lost', problem: null } });
  expect(titles()).not.toContain('Run what is open');
});
