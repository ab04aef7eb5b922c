/** The page that records a program. */
import { expect, type Page } from '@playwright/test';
import type { Window } from './window.ts';

export const recordForm = (page: Page) => ({
  page: page.getByRole('region', { name: 'Record a program', exact: true }),
  command: page.getByRole('textbox', { name: 'Command' }),
  folder: page.getByRole('textbox', { name: 'Folder' }),
  variables: page.getByRole('textbox', { name: 'More environment variables' }),
  words: page.getByRole('list', { name: 'The words of the command' }).getByRole('listitem'),
  record: page.getByRole('button', { name: 'Record', exact: true }),
  card: page.getByRole('region', { name: /^Recording of / }),
});

export async function openRecord({ page }: Window): Promise<ReturnType<typeof recordForm>> {
  await page.getByRole('main').getByRole('button', { name: 'Record a program' }).click();
  await expect(page).toHaveTitle('Record a program · Copyscope');
  return recordForm(page);
}
