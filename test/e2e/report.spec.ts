/** Reports for a reader: from disk, without a network, in both themes, and on paper. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test as base, expect, type Page, type TestInfo } from '@playwright/test';
import { parseProfile } from '../../core/machine/profile/profile.ts';
import { type ReportedRun, runReport } from '../../core/present/make.ts';
import { dataPlace, type ReportFile, reportPieces } from '../../core/present/page.ts';
import type { Run } from '../../core/trace/run.ts';
import { syntheticRun } from '../support/syntheticRun.ts';
import { example, smallRun } from '../unit/host/support/runs.ts';
import { read } from '../unit/import/support.ts';
import { seriousProblems } from './support/looks.ts';

const repository = join(import.meta.dirname, '../..');
const h200 = () => parseProfile(JSON.parse(readFileSync(join(repository, 'assets/profiles/h200.json'), 'utf8')));

/** All problems of the page: errors, content that its policy refuses, and requests that leave the file. */
const test = base.extend<{ problems: string[] }>({
  problems: async ({ page, context }, use) => {
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
    });
    await context.route(/^(?!file:|data:|blob:)/, async (route) => {
      problems.push(`asked for ${route.request().url()}`);
      await route.abort();
    });
    await context.setOffline(true);
    await use(problems);
    expect(problems, 'what the page complained of').toEqual([]);
    expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false);
  },
});

interface Reported {
  readonly path: string;
  readonly bytes: number;
  /** Size of the data before packing. */
  readonly dataBytes: number;
}

const options = { createdAt: '2026-11-25T09:00:00.000Z', copyscope: '1.0.0', withPaths: false };

const write = (info: TestInfo, runs: readonly ReportedRun[]): Promise<Reported> =>
  writeMade(info, runReport(runs, options));

const template = () => readFileSync(join(repository, 'dist/renderer/report.html'), 'utf8');

async function bytesOf(page: string, made: ReportFile): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const piece of reportPieces(page, made)) parts.push(piece);
  return Buffer.concat(parts);
}

async function writeMade(info: TestInfo, made: ReportFile): Promise<Reported> {
  const file = await bytesOf(template(), made);
  const path = info.outputPath('report.html');
  writeFileSync(path, file);
  return { path, bytes: file.length, dataBytes: made.runs.reduce((sum, { length }) => sum + length, 0) };
}

const recorded = (run: Run): ReportedRun => ({ run, origin: 'recorded', profile: null, replayWith: null });

async function open(page: Page, { path }: Reported): Promise<void> {
  await page.goto(pathToFileURL(path).href);
  await expect(page.getByTestId('timeline-plot').first()).toHaveAttribute('data-end-ns', /\d/);
}

const pageable = async (): Promise<Run> => {
  const file = readFileSync(join(repository, 'test/fixtures/pytorch-pairs/vision.pageable.json.gz'));
  return read(new Uint8Array(file));
};

test('a real program’s report has its plan, its lanes and its verdicts, in both themes', async ({
  page,
  problems,
}, info) => {
  const trace = { ...recorded(await pageable()), profile: h200(), replayWith: h200() };
  await open(page, await write(info, [trace]));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('test');
  await expect(page.getByRole('table', { name: 'Where the step time goes' })).toContainText('copies of pageable');
  await expect(page.getByRole('list', { name: 'Remedies' })).toContainText('Pin memory once');
  await expect(page.getByRole('region', { name: 'Verdicts' })).toContainText('Pageable source');
  await expect(page.getByTestId('chart').first()).toBeVisible();
  for (const theme of ['Dark', 'Light']) {
    await page.getByRole('radiogroup', { name: 'Theme' }).getByText(theme).click();
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', theme.toLowerCase());
    expect(await seriousProblems(page)).toEqual([]);
    const scrolls = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    expect(scrolls, 'the page scrolls sideways').toBe(false);
  }
  expect(problems).toEqual([]);
});

test('a report of 100,000 rows opens, with at most 1 MB more than its data', async ({ page, problems }, info) => {
  const report = await write(info, [recorded(syntheticRun(100_000))]);
  await open(page, report);
  await expect(page.getByText(/^100000 activities/)).toBeVisible();
  // Size of the page without data; packed data is smaller than the data.
  expect(template().length).toBeLessThan(1_000_000);
  expect(report.bytes).toBeLessThan(1_000_000 + report.dataBytes * 1.4);
  expect(problems).toEqual([]);
});

test('a client of MCP Apps hands the data to the page, which draws the lanes', async ({ page, problems }) => {
  const data = await bytesOf(dataPlace, runReport([recorded(await pageable())], options));
  await page.evaluate(
    ([source = '', answer = '']) => {
      const frame = document.createElement('iframe');
      frame.setAttribute('sandbox', 'allow-scripts');
      addEventListener('message', ({ data: { id, method, params } }) => {
        const tell = (message: object) => frame.contentWindow?.postMessage({ jsonrpc: '2.0', ...message }, '*');
        if (method === 'ui/initialize') tell({ id, result: { protocolVersion: params.protocolVersion } });
        const meta = answer === '' ? {} : { _meta: { 'copyscope/report': answer } };
        if (method === 'ui/notifications/initialized')
          tell({ method: 'ui/notifications/tool-result', params: { content: [], ...meta } });
        if (method === 'ui/notifications/size-changed') frame.style.height = `${params.height}px`;
      });
      frame.srcdoc = source;
      frame.width = '1200';
      document.body.append(frame);
    },
    [template(), data.toString('latin1')],
  );
  const shown = page.frameLocator('iframe');
  await expect(shown.getByTestId('timeline-plot').first()).toHaveAttribute('data-end-ns', /\d/);
  expect((await page.locator('iframe').boundingBox())?.height).toBeGreaterThan(400);
  expect(problems).toEqual([]);
});

test('a file that was cut off says so', async ({ page, problems }, info) => {
  const report = await write(info, [recorded(smallRun(example(), 'cuda'))]);
  const whole = readFileSync(report.path, 'utf8');
  writeFileSync(report.path, whole.replace(/(id="report-run-0">[^<]{40})[^<]*/, '$1'));
  await page.goto(pathToFileURL(report.path).href);
  await expect(page.getByRole('alert')).toContainText('This report can’t be read');
  expect(problems).toEqual([]);
});
