/** A user's program is recorded from the window. */
import { existsSync } from 'node:fs';
import { openRecord } from '../e2e/support/recordForm.ts';
import { expect, test } from '../e2e/support/test.ts';

const hasDriver = ['/proc/driver/nvidia/version', '/dev/nvidiactl', '/dev/nvidia0', '/dev/dxg'].some(existsSync);

test('without a GPU recording is refused with the reason, and the form is kept without its variables', async ({
  window,
}) => {
  test.skip(hasDriver, 'this machine has an NVIDIA driver');
  const fields = await openRecord(window);
  await expect(fields.record).toBeDisabled();
  await fields.command.fill('python train.py');
  await fields.record.click();
  await expect(fields.page.getByRole('alert')).toContainText('there is no NVIDIA driver on this machine');
  await expect(fields.page.getByRole('alert')).toContainText('Record it on a machine with an NVIDIA GPU');
  // The form is restored, without the variables.
  await fields.variables.fill('SECRET=1');
  await window.page.reload();
  await expect(fields.command).toHaveValue('python train.py');
  await expect(fields.variables).toHaveValue('');
});
