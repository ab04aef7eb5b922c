/** The form of a recording: its request to the host, its errors, and its command line. */
import { expect, it } from 'vitest';
import { requireArguments } from '../../../core/service/requests.ts';
import { commandLine, type RecordDraft, readDraft } from '../../../renderer/record/draft.ts';

const draft = (change: Partial<RecordDraft>): RecordDraft => ({
  command: 'python train.py',
  folder: '',
  environment: '',
  light: false,
  lines: true,
  when: 'all',
  delay: '',
  duration: '',
  from: '',
  to: '',
  range: '',
  ...change,
});

it.each([
  [{}, 'copyscope record -- python train.py'],
  [
    { light: true, lines: false, folder: '/a b', command: "A=1 python -c 'print(1)'" },
    "cd '/a b' && A=1 copyscope record --light --no-lines -- python -c 'print(1)'",
  ],
  [{ when: 'time', delay: '2.5', duration: '10' }, 'copyscope record --delay 2.5 --duration 10 -- python train.py'],
  [{ when: 'time' }, 'copyscope record -- python train.py'],
  [
    { when: 'steps', from: '20', to: '25', range: 'one step' },
    "copyscope record --steps 20..25 --step-range 'one step' -- python train.py",
  ],
] as const)('asks for %o as the command line does', (change, line) => {
  const { request, problems } = readDraft(draft(change));
  expect(problems).toEqual({});
  expect(request === null ? null : commandLine(request)).toBe(line);
  // The host accepts it.
  expect(requireArguments('startRecording', [request])).toEqual([request]);
});

it('takes variables from both places, those of the command last', () => {
  const { request } = readDraft(draft({ environment: 'A=1\n\nexport B=two words\n', command: 'A=2 python' }));
  expect(request?.environment).toEqual({ A: '2', B: 'two words' });
});

it.each([
  [{ command: 'a | b' }, 'command', /no shell is run/],
  [{ environment: 'A=1\n2B=3' }, 'environment', /^Line 2 is not NAME=value/],
  [{ when: 'time', delay: 'soon' }, 'delay', /Write seconds/],
  [{ when: 'time', duration: '0' }, 'duration', /more than 0/],
  [{ when: 'steps', from: '0', to: '3' }, 'from', /whole number from 1/],
  [{ when: 'steps', from: '4', to: '3' }, 'to', /ends before it begins/],
] as const)('says what is wrong with %o', (change, field, words) => {
  const { request, problems } = readDraft(draft(change));
  expect(request).toBeNull();
  expect(problems[field]).toMatch(words);
});

it.each([
  [{ command: [] }, /startRecording\[0\]\.command/],
  [{ folder: 'a\0b' }, /startRecording\[0\]\.folder/],
  [{ environment: { 'A B': '1' } }, /startRecording\[0\]\.environment/],
  [{ steps: { from: 3, to: 2 } }, /startRecording\[0\]\.steps/],
  [{ shell: true }, /startRecording\[0\]/],
])('the host refuses %o', (change, field) => {
  const { request } = readDraft(draft({}));
  expect(() => requireArguments('startRecording', [{ ...request, ...change }])).toThrow(
    expect.objectContaining({ code: 'request.invalid', field: expect.stringMatching(field) }),
  );
});
