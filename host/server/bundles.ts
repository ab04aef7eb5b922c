/** Streams a bundle of any size without holding it whole. */
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { describeError, toErrorInfo } from '../../core/errors.ts';
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
