/** Streams run files: a run of ten million rows has half a gigabyte, which no message or buffer should hold. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { describeError, toErrorInfo } from '../../core/errors.ts';
import { isId } from '../files/ids.ts';
import { streamRunFile } from '../library/runStore.ts';
import type { Host } from '../service/host.ts';
import type { Refusal } from './admission.ts';

/** Answers with the bundle, or returns the reason for a refusal. The request has been admitted already. */
export async function sendBundle(
  host: Pick<Host, 'bundle'>,
  ticket: string,
  response: ServerResponse,
): Promise<Refusal | null> {
  try {
    const stream = await host.bundle(ticket);
    response.writeHead(200, { 'Content-Type': 'application/gzip', 'Cache-Control': 'no-store' });
    pipeline(stream, response, () => {});
    return null;
  } catch (thrown) {
    const error = toErrorInfo(thrown);
    return { status: error.code === 'bundle.gone' ? 404 : 422, text: describeError(error) };
  }
}

const statuses: Readonly<Record<string, number>> = { 'run.not-found': 404, 'run.running': 409 };

/** Answers with the file, or returns the reason for a refusal. The request has been admitted already. */
export async function sendRunFile(
  host: Pick<Host, 'runFile'>,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Refusal | null> {
  if (!isId(id)) return { status: 404, text: 'There is no such run.' };
  try {
    const file = await host.runFile(id);
    response.writeHead(200, {
      'Content-Type': 'application/vnd.apache.arrow.file',
      'Content-Length': file.bytes,
      'Cache-Control': 'no-store',
    });
    if (request.method === 'HEAD') response.end();
    else pipeline(streamRunFile(file), response, () => {});
    return null;
  } catch (thrown) {
    const error = toErrorInfo(thrown);
    return { status: statuses[error.code] ?? 422, text: describeError(error) };
  }
}
