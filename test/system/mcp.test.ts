/** `copyscope mcp`, with the client of the SDK. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { ClientCapabilities } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longestMs } from '../native/built.ts';
import { newFolder } from '../support/newFolder.ts';
import { buildRecorder, noRecorder, player, standInEnvironment } from '../support/recorder.ts';

const root = join(import.meta.dirname, '../..');
const cli = join(root, 'dist/host/cli.js');
const folder = newFolder();
const outside = newFolder();
const environment = { PATH: process.env['PATH'] ?? '', COPYSCOPE_DATA: join(folder, 'data') };

const traces = ['vision.pageable.json.gz', 'vision.pinned.json.gz'];
const example = 'pinned-side-stream.json';

interface Answer {
  readonly isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: answers of seven tools, whose fields each test names.
  readonly value: any;
  readonly text: string;
}

async function connected(
  args: readonly string[] = [],
  more: Record<string, string> = {},
  capabilities: ClientCapabilities = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  const env = { ...environment, ...more };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [cli, 'mcp', folder, ...args], env }),
  );
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<Answer> {
  const { content, isError } = (await client.callTool({ name, arguments: args })) as {
    readonly content: readonly { readonly text: string }[];
    readonly isError?: boolean;
  };
  const text = content[0]?.text ?? '';
  return { isError: isError === true, text, value: text.startsWith('{') ? JSON.parse(text) : text };
}

beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), 'host', 'renderer'], { stdio: 'pipe' });
  for (const name of traces) copyFileSync(join(root, 'test/fixtures/pytorch-pairs', name), join(folder, name));
  copyFileSync(join(root, 'assets/examples/overlap', example), join(folder, example));
  writeFileSync(join(outside, 'secret.json'), '{}');
  symlinkSync(join(outside, 'secret.json'), join(folder, 'link.json'));
}, longestMs);
afterAll(() => {
  for (const one of [folder, outside]) rmSync(one, { recursive: true, force: true });
});

describe('copyscope mcp', () => {
  let client: Client;
  beforeAll(async () => {
    client = await connected();
  }, longestMs);
  afterAll(() => client.close());

  it('has a tool for each step of the loop, and none that runs programs', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      ['check_experiment', 'code_for', 'compare', 'explain_trace', 'run_experiment', 'try_changes'].sort(),
    );
  });

  it('answers every tool in less than 4,000 tokens', async () => {
    const experiment = JSON.parse(readFileSync(join(folder, example), 'utf8'));
    const asked: [string, Record<string, unknown>][] = [
      ['explain_trace', { path: traces[0] }],
      ['try_changes', { path: traces[0], changes: ['pin'], steps: '2..3' }],
      ['compare', { a: traces[0], b: traces[1] }],
      ['run_experiment', { path: example }],
      ['run_experiment', { experiment }],
      ['check_experiment', { path: example }],
      ['code_for', { path: example, language: 'pytorch' }],
    ];
    for (const [name, args] of asked) {
      const { isError, text } = await call(client, name, args);
      expect(isError, text).toBe(false);
      expect(text.length).toBeLessThan(12_000);
    }
  });

  it('names file and line of what to change, and what the trace does not show', async () => {
    const { value } = await call(client, 'explain_trace', { path: traces[0] });
    expect(value.plan[0].lines).toEqual(['pairs.py:39 in step']);
    expect(value.couldNotTell.join(' ')).toMatch(/which copy engine/);
  });

  it('gives all details page by page', async () => {
    const args = { path: example, language: 'cuda' };
    let text = '';
    let cursor: string | undefined;
    do {
      const { value } = await call(client, 'code_for', { ...args, ...(cursor === undefined ? {} : { cursor }) });
      text += value.text.join('');
      cursor = value.nextCursor;
    } while (cursor !== undefined);
    expect(text).toBe(
      execFileSync(process.execPath, [cli, 'code', join(folder, example), '--language', 'cuda'], { encoding: 'utf8' }),
    );
    expect((await call(client, 'explain_trace', { path: traces[0], cursor: '999' })).value.code).toBe('usage.cursor');
  });

  it('goes through the loop of the recorded transcript, whose prediction the second trace settles', async () => {
    const lines = readFileSync(join(root, 'test/fixtures/mcp/loop.jsonl'), 'utf8').trim().split('\n');
    const transcript = lines.map((line) => JSON.parse(line));
    const answers = new Map<string, Answer['value']>();
    for (const { tool, arguments: args } of transcript) answers.set(tool, (await call(client, tool, args)).value);
    const recorded = Object.fromEntries(transcript.map(({ tool, answer }) => [tool, answer]));
    expect(answers.get('explain_trace').planSteps[0].adds).toEqual(recorded.compare.settled.changes);
    expect(answers.get('compare').settled).toMatchObject({ changes: recorded.compare.settled.changes, holds: true });
  });

  it.each(['/etc/passwd', '../secret.json', 'link.json', '../missing.json', '', 'a\0b'])(
    'refuses the path %j outside its folders, whether it is there or not',
    async (path) => {
      const { isError, value } = await call(client, 'explain_trace', { path });
      expect(isError).toBe(true);
      if (path !== '') expect(value.code).toBe('usage.path');
    },
  );

  it('offers each rule that a verdict names, with its sources', async () => {
    const { resources } = await client.listResources();
    expect(resources.length).toBeGreaterThan(30);
    const { contents } = await client.readResource({ uri: 'copyscope://rules/overlap-needs-pinned' });
    expect((contents[0] as { text: string }).text).toMatch(/page-locked|pinned/);
  });

  it.skipIf(noRecorder !== null)(
    'records a program only if that was allowed',
    async () => {
      const built = buildRecorder();
      const recording = await connected(['--allow-record'], { ...standInEnvironment(built) });
      const args = { command: [player(built), '1', '20'], folder: '.', out: 'recorded.arrow' };
      const { isError, value, text } = await call(recording, 'record', args);
      expect(isError, text).toBe(false);
      expect(value).toMatchObject({ exitCode: 3, out: 'recorded.arrow' });
      expect((await call(recording, 'explain_trace', { path: 'recorded.arrow' })).isError).toBe(false);
      expect((await call(recording, 'record', { ...args, out: '../out.arrow' })).value.code).toBe('usage.path');
      await recording.close();
    },
    longestMs,
  );
});

describe('copyscope mcp with a client that shows interfaces', () => {
  let client: Client;
  beforeAll(async () => {
    const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
    client = await connected([], {}, { extensions });
  }, longestMs);
  afterAll(() => client.close());

  it('links explain_trace with a page that fetches nothing and is at most 2 MB', async () => {
    const { tools } = await client.listTools();
    expect(tools.filter(({ _meta }) => _meta !== undefined)).toMatchObject([
      { name: 'explain_trace', _meta: { ui: { resourceUri: 'ui://copyscope/report' } } },
    ]);
    const { resources } = await client.listResources();
    expect(resources.filter(({ uri }) => uri.startsWith('ui:'))).toMatchObject([
      { uri: 'ui://copyscope/report', mimeType: 'text/html;profile=mcp-app' },
    ]);
    const { contents } = await client.readResource({ uri: 'ui://copyscope/report' });
    const [{ text, mimeType } = { text: '' }] = contents as { text: string; mimeType?: string }[];
    expect(mimeType).toBe('text/html;profile=mcp-app');
    expect(text.length).toBeLessThan(2e6);
    expect(text).toMatch(/Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/);
    expect(text).not.toMatch(/(?:src|href)=|connect-src|%TITLE%/);
  });

  it('gives the data of the page with the answer, which other clients get too', async () => {
    const params = { name: 'explain_trace', arguments: { path: traces[0] } };
    const { _meta, ...answer } = await client.callTool(params);
    const data = _meta?.['copyscope/report'] as string;
    expect(data).toMatch(/id="report-document">[\s\S]*id="report-run-0">/);
    expect(data.length).toBeLessThan(4e6);
    const other = await connected();
    expect(await other.callTool(params)).toEqual(answer);
    expect((await other.listTools()).tools.every((tool) => tool._meta === undefined)).toBe(true);
    await other.close();
  });
});
