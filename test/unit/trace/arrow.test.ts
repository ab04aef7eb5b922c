import { Table, tableFromIPC, tableToIPC, type Vector } from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CopyscopeError } from '../../../core/errors.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { Operation } from '../../../core/experiment/operations.ts';
import { decodeRun, encodeRun } from '../../../core/trace/arrow.ts';
import type { Run } from '../../../core/trace/run.ts';
import { repeatedBatches } from '../../fuzz/mutateArrow.ts';
import { runs } from '../../support/effort.ts';
import { lanes, runInfo, smallRun, smallTrace, traceArbitrary } from './fixtures.ts';

/** Returns the error of a reader. Throws if it isn't a CopyscopeError `run-file.*` with a remedy. */
function failure(file: Uint8Array): CopyscopeError | null {
  try {
    decodeRun(file);
    return null;
  } catch (error) {
    if (!(error instanceof CopyscopeError)) throw error;
    expect(error.code).toMatch(/^run-file\./);
    expect(error.field).toBeTruthy();
    expect(error.remedy).toBeTruthy();
    return error;
  }
}

/** Returns the small run's file, rewritten by Arrow with other metadata. */
function withMetadata(change: (metadata: Map<string, string>) => void): Uint8Array {
  const table = tableFromIPC(encodeRun(smallRun()));
  change(table.schema.metadata);
  return tableToIPC(table, 'file');
}

function withDescription(change: (description: Record<string, unknown>) => void): Uint8Array {
  return withMetadata((metadata) => {
    const description = JSON.parse(metadata.get('copyscope') ?? '');
    change(description);
    metadata.set('copyscope', JSON.stringify(description));
  });
}

describe('a run file', () => {
  it('gives back the run it was made of', () => {
    const run = smallRun();
    expect(decodeRun(encodeRun(run))).toEqual(run);
  });

  it('is refused if it names one batch several times, which would take memory for each', () => {
    const file = encodeRun(smallRun());
    expect(failure(repeatedBatches(file, 1))).toBeNull();
    expect(failure(repeatedBatches(file, 4096))).toMatchObject({ code: 'run-file.damaged', field: 'footer' });
  });

  it('gives back any trace', () => {
    fc.assert(
      fc.property(traceArbitrary, (trace) => {
        const run: Run = { info: runInfo(), trace };
        expect(decodeRun(encodeRun(run))).toEqual(run);
      }),
      { numRuns: runs(200) },
    );
  });

  it('gives back a run without rows, as a failed one may be', () => {
    const empty = { count: 0, columns: smallTrace(0).columns, lanes: Object.values(lanes), names: [] };
    const error = { code: 'engine.lost', message: 'the engine process ended.' };
    const run: Run = { info: runInfo({ status: 'failed', error }), trace: empty };
    expect(decodeRun(encodeRun(run))).toEqual(run);
  });

  it('can be read from any place in memory', () => {
    const file = encodeRun(smallRun());
    for (let shift = 0; shift < 9; shift += 1) {
      const moved = new Uint8Array(file.length + shift);
      moved.set(file, shift);
      expect(decodeRun(moved.subarray(shift))).toEqual(smallRun());
    }
  });

  it('a run file shows words, not codes, to the plain Arrow reader, and null for a row without an engine', () => {
    const rows = tableFromIPC(encodeRun(smallRun())).toArray();
    const copy = rows.find((row) => row['kind'] === 'copy');
    expect(copy?.toJSON()).toEqual({
      iteration: 0,
      start_ns: 2000,
      duration_ns: 6000,
      kind: 'copy',
      lane: 'stream:copy',
      engine: 'engine:gpu:h2d',
      name: 'H2D 4.00 KiB',
      op: 0,
      correlation: 1,
      bytes: 4096,
      src_memory: 'pinned',
      dst_memory: 'device',
      channel: 3,
      channel_type: 'async-memcpy',
    });
    expect(rows.find((row) => row['kind'] === 'host-sync')?.['engine']).toBeNull();
  });

  it('carries the experiment, the format and the version in its metadata', () => {
    const { metadata } = tableFromIPC(encodeRun(smallRun())).schema;
    expect(metadata.get('copyscope.format')).toBe('copyscope/run');
    expect(metadata.get('copyscope.version')).toBe('1');
    const { experiment } = runInfo();
    expect(JSON.parse(metadata.get('copyscope.experiment') ?? '')).toEqual(experiment);
    expect(JSON.parse(metadata.get('copyscope') ?? '')).toMatchObject({ engine: 'cuda', experiment });
  });

  it('keeps the raised release threshold of pools that earlier engines recorded with', () => {
    const read = (made: Operation) => {
      const run = smallRun();
      const { experiment } = run.info;
      if (experiment === null) throw new Error('no experiment');
      const { poolReleaseThreshold: _, ...environment } = experiment.environment;
      const changed = { ...experiment, environment, threads: [{ id: 'main', operations: [made] }] };
      const info = { ...run.info, experiment: changed as Experiment };
      return decodeRun(encodeRun({ ...run, info })).info.experiment?.environment.poolReleaseThreshold;
    };
    const allocate = { id: 'a', op: 'allocate', buffer: 'target', stream: 'legacy' } as const;
    expect(read({ ...allocate, allocator: 'pool' })).toBe(2 ** 40);
    expect(read({ ...allocate, allocator: 'caching' })).toBe(0);
  });

  it('is read when its rows were reordered, its batches split and its dictionaries permuted', () => {
    const table = tableFromIPC(encodeRun(smallRun()));
    const halves = table.slice(6).concat(table.slice(0, 6));
    const moved = tableFromIPC(tableToIPC(halves, 'file'));
    expect(moved.batches.length).toBe(2);
    expect(decodeRun(tableToIPC(moved, 'file')).trace).toEqual(smallTrace());
  });
});

describe('damaged run files', () => {
  it('is refused at every length short of the whole', () => {
    const file = encodeRun(smallRun());
    for (let length = 0; length < file.length; length += 1) {
      const error = failure(file.slice(0, length));
      expect(error?.code, `${length} bytes`).toBe('run-file.truncated');
    }
  });

  it.each([
    ['a hundred zeros', new Uint8Array(100), 'run-file.not-arrow'],
    ['text', new TextEncoder().encode('{"format": "copyscope/experiment"}'), 'run-file.not-arrow'],
    ['magic alone', new TextEncoder().encode('ARROW1\0\0ARROW1'), 'run-file.truncated'],
    ['magic around zeros', new TextEncoder().encode(`ARROW1${'\0'.repeat(100)}ARROW1`), 'run-file.truncated'],
  ])('%s', (_, file, code) => {
    expect(failure(file)?.code).toBe(code);
  });
});

describe('an Arrow file that is no valid run', () => {
  it.each<[string, (metadata: Map<string, string>) => void, string, string]>([
    ['not one of ours', (m) => m.delete('copyscope.format'), 'run-file.not-a-run', 'copyscope.format'],
    ['of another format', (m) => m.set('copyscope.format', 'x'), 'run-file.not-a-run', 'copyscope.format'],
    ['newer', (m) => m.set('copyscope.version', '2'), 'run-file.newer-version', 'copyscope.version'],
    ['of no version', (m) => m.set('copyscope.version', '1e9'), 'run-file.damaged', 'copyscope.version'],
    ['without description', (m) => m.delete('copyscope'), 'run-file.damaged', 'copyscope'],
    ['with a broken description', (m) => m.set('copyscope', '{"a":'), 'run-file.damaged', 'copyscope'],
    ['with another description', (m) => m.set('copyscope', '[1]'), 'run-file.damaged', 'copyscope'],
  ])('%s', (_, change, code, field) => {
    expect(failure(withMetadata(change))).toMatchObject({ code, field });
  });

  it.each<[string, (description: Record<string, unknown>) => void, string, string]>([
    ['engine', (d) => Object.assign(d, { engine: 'magic' }), 'run-file.damaged', 'copyscope.engine'],
    ['date', (d) => Object.assign(d, { createdAt: 'yesterday' }), 'run-file.damaged', 'copyscope.createdAt'],
    ['lanes', (d) => Object.assign(d, { lanes: null }), 'run-file.damaged', 'copyscope.lanes'],
    ['a lane', (d) => Object.assign(d, { lanes: [{ kind: 'x' }] }), 'run-file.damaged', 'copyscope.lanes[0].kind'],
    ['too few lanes', (d) => Object.assign(d, { lanes: [lanes.main] }), 'run-file.damaged', 'lane'],
    ['no lanes', (d) => Object.assign(d, { lanes: [] }), 'run-file.damaged', 'lane'],
    [
      'lanes of other kinds',
      (d) => Object.assign(d, { lanes: Object.values(lanes).map((lane) => ({ ...lanes.main, id: lane.id })) }),
      'run-file.damaged',
      'lane',
    ],
    ['experiment', (d) => Object.assign(d, { experiment: 7 }), 'run-file.damaged', 'copyscope.experiment'],
    [
      'a field of the experiment',
      (d) => Object.assign(d['experiment'] as object, { threads: [] }),
      'run-file.damaged',
      'copyscope.experiment.threads',
    ],
    [
      'a newer experiment',
      (d) => Object.assign(d['experiment'] as object, { version: 99 }),
      'run-file.newer-version',
      'copyscope.experiment.version',
    ],
  ])('with an invalid description: %s', (_, change, code, field) => {
    expect(failure(withDescription(change))).toMatchObject({ code, field });
  });

  it.each(['start_ns', 'kind', 'channel_type', 'engine'])('without its column %s', (name) => {
    const table = tableFromIPC(encodeRun(smallRun()));
    const without = table.select(table.schema.names.filter((column) => column !== name) as never[]);
    expect(failure(tableToIPC(without, 'file'))).toMatchObject({ code: 'run-file.damaged', field: name });
  });

  it.each(['start_ns', 'kind'])('with a column %s of another type', (name) => {
    const table = tableFromIPC(encodeRun(smallRun()));
    const without = table.select(table.schema.names.filter((column) => column !== name) as never[]);
    const other = without.assign(new Table({ [name]: table.getChild('iteration') as Vector }));
    expect(failure(tableToIPC(other, 'file'))).toMatchObject({ code: 'run-file.damaged', field: name });
  });

  it.each<[string, (run: Run) => void, string]>([
    ['a start before the run', ({ trace }) => trace.columns.startNs.fill(-1), 'startNs'],
    ['an endless duration', ({ trace }) => trace.columns.durationNs.fill(Number.POSITIVE_INFINITY), 'durationNs'],
    ['no bytes at all', ({ trace }) => trace.columns.bytes.fill(Number.NaN), 'bytes'],
    ['an operation before the first', ({ trace }) => trace.columns.op.fill(-2), 'op'],
    ['a kind that there is not', ({ trace }) => trace.columns.kind.fill(100), 'kind'],
    ['a lane that there is not', ({ trace }) => trace.columns.lane.fill(5), 'lane'],
    ['an engine that is a stream', ({ trace }) => trace.columns.engine.fill(1), 'engine'],
    ['a name that there is not', ({ trace }) => trace.columns.name.fill(-1), 'name'],
  ])('with rows that no builder would accept: %s', (_, change, field) => {
    const run = smallRun();
    change(run);
    expect(failure(encodeRun(run))).toMatchObject({ code: 'run-file.damaged', field });
  });

  it('adds nothing to any prototype', () => {
    const hostile = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}';
    failure(
      withMetadata((metadata) => {
        metadata.set('copyscope', metadata.get('copyscope')?.replace('{', `${hostile},`) ?? '');
        metadata.set('__proto__', 'polluted');
      }),
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

it('a run that could not be read again is not written', () => {
  const notes = ['x'.repeat(5000)];
  expect(() => encodeRun({ info: runInfo({ notes }), trace: smallTrace() })).toThrow(
    expect.objectContaining({ code: 'run-file.unwritable', field: 'copyscope.notes[0]' }),
  );
});
