/** Lessons for a learner: questions, tasks, presentation, print, results. */
import { expect, it, vi } from 'vitest';
import firstOverlap from '../../assets/lessons/first-overlap.md?raw';
import { requireLesson } from '../../core/apps/lessons/parse.ts';
import { openPage } from '../../renderer/store/pages.ts';
import { state } from '../../renderer/store/store.ts';
import { answerChooser, openTrace, openWorkbench, page, press, saved, type Workbench } from './support/workbench.tsx';

const lesson = () => page.getByRole('region', { name: 'Lesson' });
const title = (name: string) => lesson().getByRole('heading', { level: 2, name });
const allHold = () => lesson().getByText('All checks passed.', { exact: true });
const shownRun = () => page.getByRole('radiogroup', { name: 'Run shown' });
const recorded = ['lessons/first-overlap'];

const openLesson = (id = 'first-overlap', step = 0): Promise<Workbench> =>
  openWorkbench({ recorded: id === 'first-overlap' ? recorded : [], page: { kind: 'lesson', id, step } });

async function takeItem(name: string): Promise<void> {
  await lesson().getByRole('button', { name: 'More about this lesson' }).click();
  await page.getByRole('menuitem', { name }).click();
}

it('gives nothing of the answer away before a question is answered', async () => {
  const { timeline, plot } = await openLesson();
  await expect.element(title('What do you expect?')).toBeVisible();
  await expect.element(timeline).not.toBeInTheDocument();
  await lesson().getByRole('radio').first().click();
  await lesson().getByRole('button', { name: 'Answer, and run it' }).click();
  await expect.element(lesson().getByLabelText('Right', { exact: true })).toBeVisible();
  await expect.element(plot).toBeVisible();
});

it('checks a task after each edit, and remembers that it was solved', async () => {
  const { block, field } = await openLesson('first-overlap', 2);
  await expect.element(lesson().getByLabelText('Not yet').first()).toBeVisible();
  await block(0).click();
  await field('Stream').selectOptions('side');
  await expect.element(allHold()).toBeVisible();
  const kept = () => JSON.parse(localStorage.getItem('copyscope:lesson:first-overlap') ?? '{}');
  await expect.poll(kept).toMatchObject({ passed: [2] });
  await lesson().getByRole('button', { name: 'Start the task over' }).click();
  await expect.element(allHold()).not.toBeInTheDocument();
});

it('begins a lesson anew', async () => {
  await openLesson();
  await lesson().getByRole('button', { name: 'Show the answer' }).click();
  await lesson().getByRole('button', { name: 'Next' }).click();
  await expect.element(lesson().getByRole('button', { name: /^Step 1: .*, done$/ })).toBeVisible();
  await takeItem('Begin anew');
  await expect.element(title('What do you expect?')).toBeVisible();
  await expect.element(lesson().getByRole('button', { name: /^Step 1: .*, a question$/ })).toBeVisible();
});

it('presents with one key for each step, the answer before the next one', async () => {
  const { inspector } = await openLesson();
  await lesson().getByRole('button', { name: 'Present', exact: true }).click();
  await expect.element(title('What do you expect?')).toBeVisible();
  await expect.element(inspector).not.toBeInTheDocument();
  await press('ArrowRight');
  await expect.element(lesson().getByLabelText('Right', { exact: true })).toBeVisible();
  await press('ArrowRight');
  await expect.element(title('Read the lanes')).toBeVisible();
  await expect.poll(() => page.getByRole('main').getByRole('toolbar').elements()).toEqual([]);
  await press('ArrowRight');
  await expect.element(title('Make them overlap')).toBeVisible();
  await press('ArrowLeft');
  await expect.element(title('Read the lanes')).toBeVisible();
  await press('Escape');
  await expect.element(inspector).toBeVisible();
});

it('shows a recorded run under what was recorded, if the score differs', async () => {
  const { block, field } = await openLesson('first-overlap', 2);
  await block(0).click();
  await field('Size').fill('4 MiB');
  await press('Enter');
  await expect.element(block(0)).toHaveTextContent('H2D 4.00 MiB');
  await shownRun()
    .getByText(/^Recorded/)
    .click();
  await expect.element(block(0)).toHaveTextContent('H2D 20.0 MiB');
  await page.getByRole('button', { name: 'Back to mine' }).click();
  await expect.element(block(0)).toHaveTextContent('H2D 4.00 MiB');
});

it('shows how many bytes were wrong in the recorded run of a race', async () => {
  const runs = ['races/changed-source-pinned', 'races/changed-source-synchronized'];
  const { status } = await openWorkbench({ recorded: runs, page: { kind: 'lesson', id: 'source-in-flight', step: 0 } });
  await lesson().getByRole('button', { name: 'Show the answer' }).click();
  const arrived = lesson().getByRole('region', { name: 'Arrived data' });
  await expect.element(arrived.getByText('2,097,152 of 4,194,304 bytes are wrong')).toBeVisible();
  await shownRun()
    .getByText(/^Recorded/)
    .click();
  await expect.element(status.getByText('2,097,152 bytes wrong')).toBeVisible();
});

it('says in the list and on the last step that a task was left unsolved', async () => {
  await openLesson('first-overlap', 3);
  await expect.element(lesson().getByRole('note')).toHaveTextContent('step 3');
  await lesson().getByRole('button', { name: 'Finish' }).click();
  const item = page.getByRole('button', { name: /Your first overlap/ });
  await expect.element(item.getByLabelText('Read to its end, task not solved')).toBeVisible();
  // The lesson continues at the task, and the remedy stays closed until requested.
  await item.click();
  await expect.element(lesson().getByRole('heading', { name: 'Your task' })).toBeVisible();
  await expect.element(page.getByText('Suggested change.')).not.toBeInTheDocument();
  await page.getByRole('button', { name: 'Show the suggested change' }).first().click();
  await expect.element(page.getByText('Suggested change.').first()).toBeVisible();
  // The learner makes the change.
  expect(page.getByRole('button', { name: /^Apply/ }).elements()).toEqual([]);
});

it('makes a lesson of an opened trace, which a teacher can edit and play', async () => {
  await openTrace('weights.pageable');
  openPage({ kind: 'lessons' });
  const files = saved();
  await page.getByRole('button', { name: 'Make a lesson' }).click();
  await page.getByRole('menuitem', { name: /^From weights/ }).click();
  await expect.poll(() => files.length, { timeout: 30_000 }).toBe(1);
  const lessonOfTrace = requireLesson('own', (await files[0]?.content.text()) ?? '');
  expect(lessonOfTrace.steps.map(({ task }) => task !== undefined)).toEqual([false, true]);
});

it('saves a lesson as one page that needs nothing else', async () => {
  await openLesson();
  const files = saved();
  await takeItem('Save as a page, with answers');
  await expect.poll(() => files.length).toBe(1);
  expect(files[0]?.name).toBe('first-overlap.html');
  const html = (await files[0]?.content.text()) ?? '';
  expect(html).toContain('aria-label="Lanes of First overlap, simulated"');
  expect(html).toContain('<a href="https://docs.pytorch.org/');
  expect(html).not.toMatch(/<script|<link|src=|url\(/);
});

it('prints a handout with the questions and no answer', async () => {
  await openLesson();
  const print = vi.spyOn(window, 'print').mockImplementation(() => {});
  await takeItem('Print a handout, without answers');
  await expect.poll(() => print.mock.calls.length).toBe(1);
  const printed = page.getByTestId('printed-lesson');
  await expect.element(printed).toHaveTextContent('Name:');
  await expect.element(printed).toHaveTextContent('At once. It needs nothing of the copy.');
  await expect.element(printed).not.toHaveTextContent('Right:');
  await expect.element(printed.css('svg')).not.toBeInTheDocument();
});

it('prints a lesson with its answers and its lanes, those of the run that is shown', async () => {
  await openLesson();
  const print = vi.spyOn(window, 'print').mockImplementation(() => {});
  await takeItem('Print with answers');
  await expect.poll(() => print.mock.calls.length).toBe(1);
  const lanes = (origin: string) =>
    page.getByTestId('printed-lesson').css(`svg[aria-label="Lanes of First overlap, ${origin}"]`);
  await expect.element(page.getByTestId('printed-lesson')).toHaveTextContent('Right:');
  await expect.poll(() => lanes('simulated').elements().length).toBe(2);
  await page.getByRole('button', { name: 'Show the answer' }).click();
  await shownRun()
    .getByText(/^Recorded/)
    .click();
  await takeItem('Print with answers');
  await expect.poll(() => print.mock.calls.length).toBe(2);
  await expect.poll(() => lanes('recorded').elements().length).toBe(1);
});

it('exports results without a name', async () => {
  await openLesson();
  await lesson().getByRole('radio').first().click();
  await lesson().getByRole('button', { name: 'Answer, and run it' }).click();
  await lesson().getByRole('button', { name: 'All lessons' }).click();
  await page.getByRole('button', { name: 'Export my results' }).click();
  const files = saved();
  await page.getByRole('button', { name: 'Save the file' }).click();
  await expect.poll(() => files.length).toBe(1);
  expect(files[0]?.name).toBe('my-lesson-results.json');
  const results = JSON.parse((await files[0]?.content.text()) ?? '') as object;
  expect(results).not.toHaveProperty('name');
  const file = (name: string, content: object) => new File([JSON.stringify(content)], name);
  answerChooser(file('seat-7.json', results), file('b.json', { ...results, name: 'Ada' }), file('other.json', {}));
  await page.getByRole('button', { name: 'Collect results' }).click();
  const table = page.getByRole('dialog', { name: 'Results of a class' }).getByRole('table');
  await expect.element(table.getByRole('rowheader').nth(0)).toHaveTextContent('Ada');
  await expect.element(table.getByRole('rowheader').nth(1)).toHaveTextContent('seat-7');
  await expect.element(page.getByRole('alert').filter({ hasText: 'other.json' })).toBeVisible();
});

it('plays a lesson of one’s own, and says of one with a mistake where it is', async () => {
  const lessons = {
    mine: firstOverlap.replace('title: Your first overlap', 'title: My own lesson'),
    broken: firstOverlap.replace('minutes: 4', 'minutes: soon'),
  };
  const { plot } = await openWorkbench({ lessons, page: { kind: 'lessons' } });
  await expect.element(page.getByText(/line 8: minutes/)).toBeVisible();
  await page.getByRole('button', { name: /My own lesson/ }).click();
  await page.getByRole('button', { name: 'Show the answer' }).click();
  await expect.element(plot).toBeVisible();
});

it('opens the glossary from a word of a lesson', async () => {
  await openLesson('first-overlap', 1);
  await lesson().getByRole('button', { name: 'copy engine' }).first().click();
  const card = page.getByRole('dialog', { name: 'Copy engine' });
  await expect.element(card).toBeVisible();
  await card.getByRole('button', { name: 'Open in the glossary' }).click();
  await expect.element(page.getByRole('article', { name: 'Copy engine', exact: true })).toHaveFocus();
  expect(state().page).toEqual({ kind: 'glossary', term: 'copy-engine' });
  await page.getByLabelText('Search the glossary').fill('zero-copy');
  await expect.poll(() => page.getByRole('article').elements().length).toBe(1);
});

it('opens the glossary from a lane', async () => {
  const { timeline } = await openLesson('first-overlap', 1);
  await timeline.getByRole('button', { name: /^Compute/ }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'What is this lane?' }).click();
  await expect.element(page.getByRole('article', { name: 'Compute lane' })).toHaveFocus();
});
