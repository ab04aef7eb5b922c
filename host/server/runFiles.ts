/** Streams run files: a run of ten million rows has half a gigabyte, which no message carries and no buffer should hold. */
import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { describeError, toErrorInfo } from '../../core/errors.ts';
import type { Host } from '../service/host.ts';
import { isId } from '../service/ids.ts';
import type { Refusal } from './admission.ts';

const partBytes = 1024 * 1024;
const statuses: Readonly<Record<string, number>> = { 'run.not-found': 404, 'run.running': 409 };

/** Answers with the file, or returns why there is none. The request has been admitted already. */
export async function sendRunFile(
  host: Pick<Host, 'runFile'>,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Refusal | null> {
  if (!isId(id)) return { status: 404, text: 'There is no such run.' };
  try {
    const { path, bytes } = await host.runFile(id);
    response.writeHead(200, {
      'Content-Type': 'application/vnd.apache.arrow.file',
      'Content-Length': bytes,
      'Cache-Control': 'no-store',
    });
    if (request.method === 'HEAD') response.end();
    // A file that changes or goes while it is sent ends the answer early, which its length then shows.
    else pipeline(createReadStream(path, { highWaterMark: partBytes, end: bytes - 1 }), response, () => {});
    return null;
  } catch (thrown) {
    const error = toErrorInfo(thrown);
    return { status: statuses[error.code] ?? 422, text: describeError(error) };
  }
}
