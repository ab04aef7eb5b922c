import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunSummary } from '../../../core/service/service.ts';
import { decodeRun, encodeRun } from '../../../core/trace/arrow.ts';
import { PartialRunError } from '../../../host/engine/partialRun.ts';
import type { EngineRunRequest } from '../../../host/engine/protocol.ts';
import type { EngineSupervisor } from '../../../host/engine/supervisor.ts';
import { storageError } from '../../../host/files/files.ts';
import { Assets } from '../../../host/library/assets.ts';
import { RunStore, readRunFile, streamRunFile } from '../../../host/library/runStore.ts';
import { SessionRuns } from '../../../host/service/sessionRuns.ts';
import { newFolder } from '../../support/newFolder.ts';
import { example, smallRun } from './support/runs.ts';
import { toldWindow } from './support/toldWindow.ts';

let folder: string;
let full: boolean;

/** A store on a disk that is full while `full` is true. */
class FillingStore extends RunStore {
  override async add(...args: Parameters<RunStore['add']>): Promise<RunSummary> {
    if (!full) return super.add(...args);
    throw storageError(
      `${join(folder, args[0])}.arrow could not be written`,
      Object.assign(new Error(), { code: 'ENOSPC' }),
    );
  }
}

beforeEach(() => {
  folder = newFolder();
  full = true;
});

const request: EngineRunRequest = { engine: 'cpu', experiment: example() };
const run = smallRun(request.experiment, 'cpu');
const file = encodeRun(run);

/** Starts a run and resolves with its last summary. */
function executed({ session, engine, next }: ReturnType<typeof makeSession>): Promise<RunSummary> {
  const ended = next();
  return session.start(request, engine).then(() => ended);
}

function makeSession(store: RunStore, execute = async () => ({ info: run.info, file })) {
  const engine = { run: execute } as unknown as EngineSupervisor;
  let tell = (_: RunSummary): void => {};
  const session = new SessionRuns(store, {
    ...toldWindow(),
    runChanged: (_, summary) => {
      if (summary !== null && summary.status !== 'running') tell(summary);
    },
  });
  const next = () =>
    new Promise<RunSummary>((resolve) => {
      tell = resolve;
    });
  return { session, engine, next };
}

it('names what changed since the last run of the experiment, or of what it is a copy of', async () => {
  full = false;
  const store = new FillingStore(folder, new Assets(join(folder, 'assets')));
  await store.add('first', run.info, file);
  const buffers = request.experiment.buffers.map((one) => ({ ...one, bytes: 4096 }));
  const copy = { ...request.experiment, name: `Copy of ${request.experiment.name}`, buffers };
  let changed: string | undefined;
  const { session, next } = makeSession(store);
  const execute = async (one: EngineRunRequest) => {
    ({ changed } = one);
    return { info: run.info, file };
  };
  const ended = next();
  await session.start({ ...request, experiment: copy }, { run: execute } as unknown as EngineSupervisor);
  await ended;
  expect(changed).toMatch(/^size 4 KiB instead of /);
});

describe('a run that ended early', () => {
  const error = { code: 'engine.lost', message: 'The engine process was ended by signal SIGKILL.' };
  const partial = smallRun(request.experiment, 'cpu', { status: 'failed', error });
  const recorded = { info: partial.info, file: encodeRun(partial) };
  const ended = async (store: RunStore) => {
    const made = makeSession(store, async () => {
      throw new PartialRunError(error, recorded);
    });
    return { session: made.session, summary: await executed(made) };
  };

  it('is kept as far as it was recorded, and says why it ended', async () => {
    full = false;
    const store = new FillingStore(folder, new Assets(join(folder, 'assets')));
    const { session, summary } = await ended(store);
    expect(summary).toMatchObject({ status: 'failed', error, engine: 'cpu' });
    expect(session.problem(summary.id)).toBeNull();
    const { info, trace } = decodeRun(await readRunFile(await store.file(summary.id)));
    expect(info).toMatchObject({ status: 'failed', error });
    expect(trace.count).toBe(partial.trace.count);
    expect(await store.list()).toMatchObject([{ id: summary.id, status: 'failed', error }]);
  });

  it('stays in memory where the disk is full, and still says why it ended', async () => {
    const { session, summary } = await ended(new FillingStore(folder, new Assets(join(folder, 'assets'))));
    expect(summary).toMatchObject({ status: 'failed', error });
    expect(session.unsaved(summary.id)).toEqual(recorded.file);
  });
});

describe('a run that can not be saved', () => {
  const store = () => new FillingStore(folder, new Assets(join(folder, 'assets')));

  it("a run that can't be saved is reported as failed with reason and remedy, and its data stays available", async () => {
    const made = makeSession(store());
    const { session } = made;
    const summary = await executed(made);
    expect(summary).toMatchObject({
      status: 'failed',
      error: { code: 'run.not-saved', message: expect.stringContaining('ENOSPC'), remedy: expect.any(String) },
    });
    expect(summary.error?.message).toContain('Free some space');
    const kept = session.unsaved(summary.id);
    expect(kept).toEqual(file);
    expect(decodeRun(kept ?? new Uint8Array()).info.experiment?.name).toBe(request.experiment.name);
    const parts = await streamRunFile({ path: '', bytes: file.byteLength, content: file }).toArray();
    expect(new Uint8Array(Buffer.concat(parts))).toEqual(file);
    expect(session.forget(summary.id)).not.toBeNull();
    expect(session.unsaved(summary.id)).toBeNull();
  });

  it('leaves the next one to be saved as ever, once there is space', async () => {
    const made = makeSession(store());
    const { session } = made;
    await executed(made);
    full = false;
    const summary = await executed(made);
    expect(summary.status).toBe('complete');
    expect(session.unsaved(summary.id)).toBeNull();
    expect(session.list().map(({ id }) => id)).not.toContain(summary.id);
  });
});

afterEach(() => {
  full = false;
});
