/** Fetches a run's file for a worker that decodes it. */
import { CopyscopeError } from '../../../core/errors.ts';
import { maxRunFileBytes } from '../../../core/trace/arrow.ts';
import { fetchHostFile, type HostFile } from '../../common/session.ts';

/** Reads into memory of the full size at once, since the response gives the length. Rejects with `run.not-read`. */
export async function readRunFile(source: HostFile): Promise<Uint8Array> {
  const answer = await fetchHostFile(source).catch((cause: unknown) => {
    throw unreadable('the host can’t be reached', cause);
  });
  if (!answer.ok || answer.body === null) throw unreadable((await answer.text()).trim());
  const length = Number(answer.headers.get('Content-Length'));
  if (!(length > 0 && length <= maxRunFileBytes)) throw unreadable(`it has ${length} bytes`);
  const file = new Uint8Array(length);
  let at = 0;
  for (const reader = answer.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    if (at + value.length > length) throw unreadable('it is longer than it said');
    file.set(value, at);
    at += value.length;
  }
  if (at < length) throw unreadable(`only ${at} of its ${length} bytes came`);
  return file;
}

const unreadable = (why: string, cause?: unknown): CopyscopeError =>
  new CopyscopeError(
    { code: 'run.not-read', message: `The run’s file could not be read: ${why}.`, remedy: 'Try again.' },
    cause === undefined ? undefined : { cause },
  );
