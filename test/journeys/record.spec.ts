/** A user's program is recorded from the window. */
import { existsSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect, test } from '../e2e/support/test.ts';
import type { Window } from '../e2e/support/window.ts';

const form = (page: Page) => ({
  page: page.getByRole('region', { name: 'Record a program', exact: true }),
  command: page.getByRole('textbox', { name: 'Command' }),
  folder: page.getByRole('textbox', { name: 'Folder' }),
  variables: page.getByRole('textbox', { name: 'More environment variables' }),
  words: page.getByRole('list', { name: 'The words of the command' }).getByRole('listitem'),
  record: page.getByRole('button', { name: 'Record', exact: true }),
  card: page.getByRole('region', { name: /^Recording of / }),
});

async function open({ page }: Window): Promise<ReturnType<typeof form>> {
  await page.getByRole('main').getByRole('button', { name: 'Record a program' }).click();
  await expect(page).toHaveTitle('Record a program · Copyscope');
  return form(page);
}

const hasDriver = ['/proc/driver/nvidia/version', '/dev/nvidiactl', '/dev/nvidia0', '/dev/dxg'].some(existsSync);

test('without a GPU a command is split into its words, and recording it is refused with the reason', async ({
  window,
}) => {
  test.skip(hasDriver, 'this machine has an NVIDIA driver');
  const fields = await open(window);
  await expect(fields.record).toBeDisabled();
  await fields.command.fill('A=1 python -c "print(1, 2)" $HOME');
  await expect(fields.words).toHaveText(['A=1', 'python', '-c', 'print(1, 2)', '$HOME']);
  await expect(fields.page).toContainText('Here the program gets it as it is.');
  await fields.command.fill('python train.py | tee log');
  await expect(fields.page).toContainText('| joins two programs in a shell, and no shell is run.');
  await expect(fields.record).toBeDisabled();
  await fields.command.fill('python train.py');
  await window.page.getByText('Some steps', { exact: true }).click();
  await window.page.getByRole('textbox', { name: 'First step' }).fill('20');
  await window.page.getByRole('textbox', { name: 'Last step' }).fill('2');
  await expect(fields.page).toContainText('It ends before it begins.');
  await window.page.getByRole('textbox', { name: 'Last step' }).fill('25');
  await window.page.getByText('Light', { exact: true }).click();
  await expect(fields.page).toContainText('copyscope record --light --steps 20..25 -- python train.py');
  await fields.record.click();
  await expect(fields.page.getByRole('alert')).toContainText('there is no NVIDIA driver on this machine');
  await expect(fields.page.getByRole('alert')).toContainText('Record it on a machine with an NVIDIA GPU');
  // The form is restored, without the variables.
  await fields.variables.fill('SECRET=1');
  await window.page.reload();
  await expect(fields.command).toHaveValue('python train.py');
  await expect(fields.variables).toHaveValue('');
});
