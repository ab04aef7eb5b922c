import { expect, it } from 'vitest';
import { describedSubmission } from '../../../core/slurm/submission.ts';
import { settingsOf, typedOf } from '../../../renderer/machines/clusterForm.ts';

const typed = {
  partition: ' gpu ',
  account: '',
  gpus: 'h200:2',
  time: '30',
  atOnce: '4',
  lines: 'module load cuda\n\n  source env\n',
  options: '--qos=short',
};

it('takes what is typed, without what is empty, and shows what is kept the same way again', () => {
  const { settings } = settingsOf(typed);
  expect(settings).toEqual({
    ...{ partition: 'gpu', gpus: 'h200:2', time: '30', atOnce: 4 },
    lines: ['module load cuda', 'source env'],
    options: ['--qos=short'],
  });
  expect(settingsOf(typedOf(settings)).settings).toEqual(settings);
  expect(settingsOf(typedOf(null)).settings).toEqual({ lines: [], options: [] });
});

it.each([
  ['time', { time: 'soon' }],
  ['atOnce', { atOnce: '0' }],
  ['gpus', { gpus: 'two of them' }],
  ['partition', { partition: 'a b' }],
  ['options[0]', { options: '--array=1-2' }],
])('says of %s what is wrong', (field, change) => {
  const { settings, problems } = settingsOf({ ...typed, ...change });
  expect(settings).toBeNull();
  expect(problems[0]?.field).toBe(field);
});

it('asks for no GPU where the cluster counts none', () => {
  const told = (gpus: string): string => {
    const { settings } = settingsOf({ ...typed, gpus });
    return settings === null ? '' : describedSubmission(settings).join('\n');
  };
  expect(told('0')).not.toContain('--gres');
  expect(told('')).toContain('--gres=gpu:1');
});
