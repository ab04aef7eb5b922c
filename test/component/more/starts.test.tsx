/** The question before the host starts a program. */
import { expect, it } from 'vitest';
import { nothingRecorded } from '../../../core/service/recording.ts';
import { openWorkbench, page } from '../support/workbench.tsx';

it('asks before the first program is recorded, names it, and asks no more once it is allowed', async () => {
  const { host } = await openWorkbench({ page: { kind: 'record' } });
  host.refusals.set('startRecording', { code: 'engine.unavailable', message: 'There is no GPU.' });
  const form = page.getByRole('region', { name: 'Record a program', exact: true });
  // Said before anything is typed.
  await expect.element(page.getByRole('note')).toHaveTextContent('There is no NVIDIA driver.');
  const record = page.getByRole('button', { name: 'Record', exact: true });
  const question = page.getByRole('dialog', { name: 'Start this program?' });
  const starts = (): number => host.asked.filter((name) => name === 'startRecording').length;
  await page.getByRole('textbox', { name: 'Command' }).fill('python train.py --name "two words"');
  await page.getByRole('textbox', { name: 'Folder' }).fill('/');

  await record.click();
  await expect.element(question).toHaveTextContent("python train.py --name 'two words'");
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect.element(form.getByRole('alert')).toHaveTextContent('Nothing was started.');
  expect(starts()).toBe(0);

  await record.click();
  await question.getByRole('button', { name: 'Start' }).click();
  await expect.element(form.getByRole('alert')).toHaveTextContent('There is no GPU.');
  expect(starts()).toBe(1);

  await record.click();
  await expect.poll(starts).toBe(2);
  expect(question.query()).toBeNull();
});

it('counts what is recorded while the program runs, and offers to stop it', async () => {
  const { host } = await openWorkbench({ page: { kind: 'record' } });
  host.refusals.set('stopRecording', { code: 'recording.gone', message: 'It has ended.' });
  const counts = { ...nothingRecorded, processes: 1, copies: 200, bytes: 4096 };
  host.events?.recordingChanged({
    ...{
      id: crypto.randomUUID(),
      name: 'train',
      phase: 'recording',
      isStopped: false,
      counts,
    },
    ...{ output: 'step 3', exitCode: null, run: null, error: null },
  });
  const card = page.getByRole('region', { name: /^Recording of / });
  await expect.element(card).toHaveTextContent(/Recording train.*One process of it is recorded\..*200/);
  await expect.element(card.getByRole('region', { name: 'Program output' })).toHaveTextContent('step 3');
  await expect.element(page.getByRole('textbox', { name: 'Command' })).toBeDisabled();
  await card.getByRole('button', { name: 'Stop' }).click();
  await expect.poll(() => host.asked).toContain('stopRecording');
});
