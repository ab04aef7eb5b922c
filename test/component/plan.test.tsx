/** The plan panel: the answer, the plan steps, alternatives, a trace with no possible gain, and Try of each remedy. */
import { expect, it } from 'vitest';
import { changeTitles } from '../../core/lift/words.ts';
import { planOf } from '../../renderer/plan/planStore.ts';
import { shownRunId } from '../../renderer/store/select.ts';
import { state } from '../../renderer/store/store.ts';
import { communicating, drawnTrace, loading, type Program } from '../support/drawnTraces.ts';
import { fileBytes } from './support/memoryHost.ts';
import { openPageOf, openTrace, openWorkbench, page } from './support/workbench.tsx';

const plan = () => page.getByRole('region', { name: 'Plan', exact: true });
const chosen = () => page.getByRole('region', { name: 'Chosen changes' });
const stepList = () => page.getByRole('list', { name: 'Recommended order of changes' });
const shownPlan = () => planOf(shownRunId(state()) ?? '');

async function openBytes(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const { host } = await openWorkbench();
  await openPageOf(await host.import(bytes, { name: 'drawn.json', version: '0.0.0', modifiedAt: new Date(0) }));
  await expect.poll(() => shownPlan().plan).not.toBeNull();
  await expect.poll(() => shownPlan().doing).toBeNull();
}

it('begins with the answer, chooses all changes up to a plan step, and folds the alternatives', async () => {
  await openTrace('vision.pageable');
  await expect.element(chosen().getByText(/→/)).toBeVisible();
  const planSteps = shownPlan().planSteps;
  expect(planSteps.length).toBeGreaterThan(1);
  expect(shownPlan().choice).toEqual(planSteps.at(-1)?.changes);
  for (const [index, { changes }] of planSteps.entries()) {
    const planStep = stepList().getByRole('button').nth(index);
    await planStep.click();
    await expect.element(planStep).toHaveAttribute('aria-pressed', 'true');
    expect(shownPlan().choice).toEqual(changes);
  }
  expect(shownPlan().answer).not.toBe('');
  await expect.poll(() => plan().element().textContent?.startsWith(shownPlan().answer)).toBe(true);
  const remedies = page.getByRole('list', { name: 'Remedies' }).getByRole('checkbox');
  await expect.poll(() => remedies.elements().length).toBe(1);
  const alternatives = page.getByRole('list', { name: 'Alternatives' });
  await expect.element(alternatives).not.toBeInTheDocument();
  await plan()
    .getByText(/alternatives/)
    .click();
  await expect
    .poll(() => alternatives.getByRole('checkbox').elements().length)
    .toBe((shownPlan().plan?.length ?? 0) - 1);
});

it('shows no remedy of a trace with nothing to gain', async () => {
  await openBytes(await fileBytes('test/fixtures/trace-faults/graph_device_bound.json'));
  expect(shownPlan().answer).toMatch(/^Nothing to gain/);
  await expect.element(plan().getByText(shownPlan().answer)).toBeVisible();
  expect(plan().getByRole('checkbox').elements()).toEqual([]);
  expect(plan().getByRole('button', { name: 'Try' }).elements()).toEqual([]);
});

it.each([
  ['load-in-workers', loading],
  ['overlap-communication', communicating],
] as const)('tries %s, and shows the step before and after', async (change, step: (program: Program) => void) => {
  await openBytes(new TextEncoder().encode(drawnTrace(step)));
  expect(shownPlan().choice).toContain(change);
  await expect.element(chosen().getByRole('checkbox', { name: changeTitles[change] })).toBeChecked();
  await chosen().getByRole('button', { name: 'Try' }).click();
  await expect.element(page.getByRole('article', { name: /^Before/ })).toBeVisible();
  await expect.element(page.getByRole('article', { name: new RegExp(changeTitles[change], 'i') })).toBeVisible();
});
