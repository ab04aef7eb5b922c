import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { CopyscopeError } from '../../core/errors.ts';
import { runs } from '../support/effort.ts';
import { newFolder } from '../support/newFolder.ts';
import type * as StandIn from './support/electron.ts';

vi.mock('electron', () => import('./support/electron.ts'));

const electron = (await import('electron')) as unknown as typeof StandIn;
const { registerScheme, resolveFile, serveRenderer } = await import('../../electron/protocol.ts');

const work = newFolder();
const folder = join(work, 'renderer');
mkdirSync(join(folder, 'assets'), { recursive: true });
writeFileSync(join(folder, 'index.html'), '<!doctype html>');
writeFileSync(join(folder, 'assets/app.js'), 'export {};');
writeFileSync(join(folder, 'assets/a b%.js'), 'export {};');
writeFileSync(join(work, 'secret.txt'), 'secret');
mkdirSync(join(work, 'renderer-other'));
writeFileSync(join(work, 'renderer-other/index.html'), 'other');
symlinkSync(join(work, 'secret.txt'), join(folder, 'link.txt'));

const { session } = electron;
const ask = async (address: string, method = 'GET'): Promise<Response> => {
  const handler = session.defaultSession.handlers.get('copyscope');
  if (handler === undefined) throw new Error('the scheme is not handled');
  // Request itself refuses unknown methods, as the browser does, so a plain object replaces it.
  return handler({ url: address, method } as Request);
};

const run = join(work, 'run.arrow');
writeFileSync(run, 'ARROW1 and the rest');
const runFile = async (id: string) => {
  if (id !== 'imported/run') throw new CopyscopeError({ code: 'run.not-found', message: 'There is no such run.' });
  return { path: run, bytes: 19 };
};

const bundle = async (ticket: string): Promise<Readable> => {
  if (ticket === 'mine') return Readable.from([Buffer.from('a bundle')]);
  throw new CopyscopeError({ code: 'bundle.gone', message: 'It is gone.' });
};

beforeAll(() => serveRenderer(session.defaultSession as never, folder, { runFile, bundle }));

describe('copyscope://', () => {
  it('is registered as a standard, secure scheme', () => {
    registerScheme();
    expect(electron.protocol.registerSchemesAsPrivileged).toHaveBeenCalledWith([
      { scheme: 'copyscope', privileges: expect.objectContaining({ standard: true, secure: true }) },
    ]);
  });

  it('serves a bundle once it was packed', async () => {
    const sent = await ask('copyscope://app/bundles/mine');
    expect([sent.status, await sent.text()]).toEqual([200, 'a bundle']);
    expect((await ask('copyscope://app/bundles/none')).status).toBe(404);
  });

  it('serves the page and its files, each with the content policy and its type', async () => {
    const page = await ask('copyscope://app/');
    expect(page.status).toBe(200);
    expect(await page.text()).toBe('<!doctype html>');
    expect(page.headers.get('Content-Type')).toBe('text/html');
    const policy = page.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'self'(;|$)/);
    expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline|https?:|\*/);
    const script = await ask('copyscope://app/assets/app.js?v=1#x');
    expect(script.headers.get('Content-Type')).toBe('text/javascript');
    expect(script.headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect((await ask('copyscope://app/assets/a%20b%25.js')).status).toBe(200);
  });

  it('streams the file of a run with its length, and nothing for another address', async () => {
    const answer = await ask('copyscope://app/runs/imported/run');
    expect(answer.headers.get('Content-Length')).toBe('19');
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(await answer.text()).toBe('ARROW1 and the rest');
    expect(await (await ask('copyscope://app/runs/imported/run', 'HEAD')).text()).toBe('');
    for (const id of ['other', '../run', '%2e%2e/run', 'imported/run.arrow', '']) {
      expect((await ask(`copyscope://app/runs/${id}`)).status).toBe(404);
    }
  });

  it.each([
    'copyscope://app/../secret.txt',
    'copyscope://app/%2e%2e/secret.txt',
    'copyscope://app/assets/..%2f..%2fsecret.txt',
    'copyscope://app/..%5csecret.txt',
    'copyscope://app/%2fetc%2fpasswd',
    'copyscope://app//etc/passwd',
    'copyscope://app/../renderer-other/index.html',
    'copyscope://app/link.txt',
    'copyscope://app/index.html%00.js',
    'copyscope://app/%',
    'copyscope://app/assets',
    'copyscope://app/assets/',
    'copyscope://app/C:/Windows/win.ini',
    'copyscope://other/index.html',
    'copyscope://app:8080/index.html',
    'file:///etc/passwd',
  ])('refuses %s, with the content policy all the same', async (address) => {
    const answer = await ask(address);
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain('secret');
    expect(answer.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  });

  it('answers reading only', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) expect((await ask('copyscope://app/', method)).status).toBe(405);
    expect((await ask('copyscope://app/', 'HEAD')).body).toBeNull();
  });

  it('never names a file outside its folder, whatever the path', async () => {
    const hostile = ['..', '.', '%2e%2e', '%2f', '%5c', '/', '\\', 'assets', 'app.js', 'secret.txt', '%00', ' '];
    const part = fc.constantFrom(...hostile);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(part, fc.string({ maxLength: 6 })), { maxLength: 8 }), async (parts) => {
        for (const separator of ['/', '']) {
          const path = await resolveFile(`copyscope://app/${parts.join(separator)}`, folder);
          expect(path === null || path.startsWith(`${folder}/`)).toBe(true);
        }
      }),
      { numRuns: runs(500) },
    );
  });
});
