/**
 * copyscope://app/ serves the built renderer from files below one folder, the files of runs below /runs and bundles
 * below /bundles: all read-only, with a strict content policy.
 */
import { realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { net, protocol, type Session } from 'electron';
import { describeError, toErrorInfo } from '../core/errors.ts';
import { bundleOfPath, runOfPath } from '../core/service/service.ts';
import { isId } from '../host/files/ids.ts';
import { streamRunFile } from '../host/library/runStore.ts';
import type { Host } from '../host/service/host.ts';
import { isAppUrl, scheme } from './origin.ts';

/** Styles may be inline, since the component library sets them on elements; scripts may not. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join('; ');

const securityHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Content that the page gets besides its own files. */
type Served = Pick<Host, 'runFile' | 'bundle'>;

interface Content {
  /** Null if only the headers are wanted. */
  readonly stream: Readable | null;
  readonly bytes?: number;
}

/** Must be called before the app is ready, since only then can a scheme get a page's rights. */
export function registerScheme(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, codeCache: true };
  protocol.registerSchemesAsPrivileged([{ scheme, privileges }]);
}

/** Answers the scheme in `session` with the files below `folder`, and with the host's runs and bundles. */
export function serveRenderer(session: Session, folder: string, host: Served): void {
  session.protocol.handle(scheme, (request) => respond(request, folder, host));
}

async function respond(request: Request, folder: string, host: Served): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return refusal(405, 'Only GET and HEAD are answered.');
  const own = isAppUrl(request.url) ? new URL(request.url).pathname : '';
  const [run, bundle] = [runOfPath(own), bundleOfPath(own)];
  if (run !== null && !isId(run)) return refusal(404, 'There is no such run.');
  if (run !== null) {
    return respondWith('application/vnd.apache.arrow.file', async () => {
      const file = await host.runFile(run);
      return { stream: request.method === 'HEAD' ? null : streamRunFile(file), bytes: file.bytes };
    });
  }
  if (bundle !== null) return respondWith('application/gzip', async () => ({ stream: await host.bundle(bundle) }));
  const path = await resolveFile(request.url, folder);
  if (path === null) return refusal(404, 'There is no such file.');
  const file = await net.fetch(pathToFileURL(path).href, { bypassCustomProtocolHandlers: true });
  const headers = new Headers(securityHeaders);
  const type = file.headers.get('Content-Type');
  if (type !== null) headers.set('Content-Type', type);
  return new Response(request.method === 'HEAD' ? null : file.body, { status: file.status, headers });
}

/** Streams what `open` resolves with, or answers with its error. */
async function respondWith(type: string, open: () => Promise<Content>): Promise<Response> {
  try {
    const { stream, bytes } = await open();
    const headers = new Headers({ ...securityHeaders, 'Content-Type': type, 'Cache-Control': 'no-store' });
    if (bytes !== undefined) headers.set('Content-Length', String(bytes));
    return new Response(stream && (Readable.toWeb(stream) as ReadableStream<Uint8Array<ArrayBuffer>>), { headers });
  } catch (thrown) {
    const error = toErrorInfo(thrown);
    return refusal(/\.(not-found|gone)$/.test(error.code) ? 404 : 422, describeError(error));
  }
}

function refusal(status: number, text: string): Response {
  return new Response(text, { status, headers: { ...securityHeaders, 'Content-Type': 'text/plain; charset=utf-8' } });
}

/**
 * Returns the file of an address. Null for another origin, a path that leaves the folder (by dots, an encoded
 * separator, a drive, a NUL or a symbolic link), a folder, or a missing file.
 */
export async function resolveFile(address: string, folder: string): Promise<string | null> {
  if (!isAppUrl(address)) return null;
  const name = decodedPath(new URL(address).pathname);
  if (name === null) return null;
  const path = resolve(folder, name === '' ? 'index.html' : join('.', name));
  if (!isInside(path, folder)) return null;
  try {
    const [real, base] = await Promise.all([realpath(path), realpath(folder)]);
    return isInside(real, base) && (await stat(real)).isFile() ? real : null;
  } catch {
    return null;
  }
}

/** Returns the path without its leading slash, or null if decoding gives characters that none of our file names has. */
function decodedPath(pathname: string): string | null {
  try {
    const path = decodeURIComponent(pathname).replace(/^\//, '');
    return /[\\:\0]/.test(path) || path.startsWith('/') || path.split('/').includes('..') ? null : path;
  } catch {
    return null;
  }
}

function isInside(path: string, folder: string): boolean {
  const inner = relative(folder, path);
  return inner !== '' && inner !== '..' && !inner.startsWith(`..${sep}`) && resolve(folder, inner) === path;
}
