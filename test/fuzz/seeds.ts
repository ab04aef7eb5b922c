/** Valid files, from which invalid ones are made: small, so that a change hits a relevant byte. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cwd } from 'node:process';
import { gunzipSync } from 'node:zlib';

/** Working folder in which the fuzzer is started. */
export const repository = cwd();

export const asset = (path: string): string => readFileSync(join(repository, 'assets', path), 'utf8');
export const fixture = (path: string): Uint8Array => readFileSync(join(repository, 'test/fixtures', path));

const examples = join(repository, 'assets/examples');

export const exampleDocuments: readonly unknown[] = readdirSync(examples, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json'))
  .sort()
  .map((name) => JSON.parse(readFileSync(join(examples, name), 'utf8')))
  .filter((document) => JSON.stringify(document).length < 20_000);

const runFolder = join(repository, 'assets/runs');

export const smallRuns: readonly Uint8Array[] = readdirSync(runFolder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.arrow'))
  .sort()
  .map((name) => readFileSync(join(runFolder, name)))
  .filter(({ length }) => length < 12_000);

interface TraceDocument {
  readonly traceEvents: readonly { readonly ts?: number; readonly cat?: string }[];
}

/** Returns a recorded trace with only its first events. */
export function smallTrace(name: string, events: number): unknown {
  const whole: TraceDocument = JSON.parse(gunzipSync(fixture(name)).toString());
  return { ...whole, traceEvents: whole.traceEvents.slice(0, events) };
}
