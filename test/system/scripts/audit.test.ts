/** Known vulnerabilities of shipped packages: from the registry, and from one with given answers. */
import { execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { auditHandedOn } from '../../../scripts/lib/audit.mjs';

const ending: (() => void)[] = [];
afterEach(() => ending.splice(0).forEach((end) => void end()));

const advisory = (title: string) => ({
  id: 1,
  url: 'https://github.com/advisories/GHSA-0',
  title,
  severity: 'high',
  vulnerable_versions: '<9999.0.0',
  cwe: [],
  cvss: { score: 7, vectorString: null },
});

/** Starts a registry, in a separate process since npm blocks this one. It has these advisories, and no package. */
async function registryOf(advisories: object, status = 200): Promise<string> {
  const script = `
    const server = require('node:http').createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(request.method === 'POST' ? ${status} : 404, { 'content-type': 'application/json' });
        response.end(request.method === 'POST' ? ${JSON.stringify(JSON.stringify(advisories))} : '{}');
      });
    });
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  ending.push(() => child.kill());
  for await (const port of createInterface(child.stdout)) return `http://127.0.0.1:${port}`;
  throw new Error('the registry ended');
}

// The list of bundled packages is written next to each built part. A test of another file may be building it.
beforeAll(() => void execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'pipe' }));

describe('the audit of what is handed on', () => {
  it('names what is bundled, and what the app runs in, and leaves out what only builds and tests', async () => {
    const registry = await registryOf({
      ws: [advisory('frames without end')],
      electron: [advisory('a way out of the sandbox')],
      vitest: [advisory('tests that run what they read')],
    });
    expect(auditHandedOn(registry).advisories).toEqual([
      'electron (high; no fixed version yet): a way out of the sandbox, https://github.com/advisories/GHSA-0',
      'ws (high; no fixed version yet): frames without end, https://github.com/advisories/GHSA-0',
    ]);
  });

  it('says why where the registry does not answer', async () => {
    expect(auditHandedOn(await registryOf({}, 405)).unanswered).toContain('405');
  });

  // An advisory can appear without a change of ours. The test fails all the same: known vulnerabilities must not be
  // shipped, and the line below shows that the change isn't the cause.
  it('finds none', ({ skip }) => {
    const { unanswered, advisories = [] } = auditHandedOn();
    if (unanswered !== undefined) skip(`the registry tells no advisories: ${unanswered}`);
    const found = `The registry knows of vulnerabilities in what Copyscope hands on. No change that is tested here need have
brought them: they may be new. Update the packages, or accept them with a reason in scripts/lib/audit.mjs.`;
    expect(advisories, found).toEqual([]);
  });
});
