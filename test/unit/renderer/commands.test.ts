import { describe, expect, it } from 'vitest';
import { menuCommands, type RunSummary } from '../../../core/service/service.ts';
import { commandOf } from '../../../renderer/commands/command.ts';
import { areas, commandsNow, paletteCommands } from '../../../renderer/shell/commands.ts';
import { assign } from '../../../renderer/store/store.ts';
import { experiment } from './exampleRun.ts';

const titles = (): string[] => commandsNow().map(({ name }) => name);
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
  const idle = ['Cancel the run', 'Compare the run with its prediction', 'Save', 'Undo', 'Redo', 'Paste', ...selected];
  expect(titles()).toEqual(expect.arrayContaining(['Run what is open', 'Save a copy', 'Add an event']));
  for (const title of idle) expect(titles()).not.toContain(title);

  const edits = { 'experiment:a': { dirty: true, undo: 'Add copy', redo: null, beforeRemedy: null } };
  assign({ runs: { one: run }, edits, selection: { kind: 'op', id: experiment.threads[0]?.operations[0]?.id ?? '' } });
  expect(titles()).not.toContain('Run what is open');
  expect(titles()).toEqual(expect.arrayContaining(['Cancel the run', 'Save', 'Undo', ...selected.slice(0, 4)]));

  assign({ runs: { one: { ...run, status: 'complete' } } });
  expect(titles()).toEqual(expect.arrayContaining(['Run what is open']));
  expect(titles()).not.toContain('Cancel the run');

  assign({ connection: { status: 'lost', problem: null } });
  expect(titles()).not.toContain('Run what is open');
});

it('no two commands of one area share a key', () => {
  for (const { title, commands } of areas) {
    const keys = commands.flatMap(({ keys = [] }) => keys);
    expect(keys.length, title).toBe(new Set(keys).size);
  }
});

it('the help lists every command of the palette that has keys', () => {
  const listed = new Set(areas.flatMap(({ commands }) => commands.map(({ name }) => name)));
  const keyed = paletteCommands.filter(({ keys }) => keys !== undefined).map(({ name }) => name);
  expect(keyed.filter((name) => !listed.has(name))).toEqual([]);
  expect(keyed).toContain('Undo');
});

it('every command of the desktop menu is one of the window', () => {
  const ids = paletteCommands.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(Object.values(menuCommands).map(({ id }) => id)));
});

describe('a key press', () => {
  const list = [
    { name: 'zoom', keys: ['W'] },
    { name: 'undo', keys: ['mod Z'] },
    { name: 'redo', keys: ['mod shift Z'] },
    { name: 'help', keys: ['?'] },
    { name: 'new', keys: ['alt N'] },
    { name: 'scroll', keys: ['Space'] },
  ];
  const released = { code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
  const meant = (key: string, held: Partial<typeof released> = {}) =>
    commandOf(list, { ...released, key, ...held })?.name;

  it('means the command with exactly its modifiers, in any case', () => {
    expect([meant('w'), meant('W'), meant(' ')]).toEqual(['zoom', 'zoom', 'scroll']);
    expect([meant('w', { shiftKey: true }), meant('w', { ctrlKey: true })]).toEqual([undefined, undefined]);
    expect([meant('z', { ctrlKey: true }), meant('z', { metaKey: true })]).toEqual(['undo', 'undo']);
    expect(meant('Z', { ctrlKey: true, shiftKey: true })).toBe('redo');
  });

  it('needs no Shift for a sign, since layouts differ', () => {
    expect([meant('?'), meant('?', { shiftKey: true })]).toEqual(['help', 'help']);
  });

  it('means the letter of its place on a layout without Latin letters, and with Option on a Mac', () => {
    expect(meant('ц', { code: 'KeyW' })).toBe('zoom');
    expect(meant('Dead', { code: 'KeyN', altKey: true })).toBe('new');
    expect(meant('y', { code: 'KeyZ', ctrlKey: true })).toBeUndefined();
  });
});
