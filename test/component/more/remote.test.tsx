/** Connecting to remote hosts from the window. */
import { expect, it } from 'vitest';
import type { RemoteState } from '../../../core/service/remotes.ts';
import { openWorkbench, page } from '../support/workbench.tsx';

const off: RemoteState = { name: 'gpu-box', status: 'off', says: [], copied: null, problem: null, address: null };

it('asks before ssh starts and before something is copied, and says how far a connection is', async () => {
  const { host } = await openWorkbench({ page: { kind: 'remote' } });
  await page.getByRole('textbox', { name: 'Host' }).fill('gpu-box');
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Start this program?' });
  await expect.element(question).toHaveTextContent('ssh gpu-box');
  expect(host.asked).not.toContain('connectRemote');
  await question.getByRole('button', { name: 'Start' }).click();
  await expect.poll(() => host.asked).toContain('connectRemote');

  const tell = (change: Partial<RemoteState>): void => host.events?.remoteChanged('gpu-box', { ...off, ...change });
  const card = page.getByRole('region', { name: 'gpu-box' });
  tell({ status: 'asks', says: ['20 MiB will be copied.'] });
  await expect.element(card).toHaveTextContent('20 MiB will be copied.');
  await card.getByRole('button', { name: 'Go on' }).click();
  await expect.poll(() => host.asked).toContain('answerRemote');
  tell({ status: 'copying', copied: { done: 1024 ** 2, total: 4 * 1024 ** 2 } });
  await expect.element(card.getByRole('status')).toHaveTextContent(/Copying the program: 1\S* MiB of 4\S* MiB/);
  tell({ problem: { code: 'host.lost', message: 'The line to gpu-box was lost.' } });
  await expect.element(card.getByRole('alert')).toHaveTextContent('The line to gpu-box was lost.');

  await card.getByRole('button', { name: 'Remove from the host' }).click();
  expect(host.asked).not.toContain('endRemote');
  await card.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect.poll(() => host.asked).toContain('endRemote');
  host.events?.remoteChanged('gpu-box', null);
  await expect.poll(() => card.query()).toBeNull();
});
