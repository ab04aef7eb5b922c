/**
 * Reads an SQLite export of Nsight Systems (nsys export --type=sqlite). Memory holds the trace's columns and the names,
 * never the file. Tables and columns: the exporter's documentation, and files of its versions 3.24 and 3.25.
 */
import { CopyscopeError, type ErrorInfo } from '../../errors.ts';
import { maxRunRows } from '../../trace/arrow/guard.ts';
import type { Run } from '../../trace/run.ts';
import type { ImportOptions } from '../importedRun.ts';
import { importedRun } from '../importedRun.ts';
import { traceFileError } from '../problems.ts';
import { type Cells, type Database, tablesNamed, textOf, wholeOf } from './database.ts';
import type { EnumTable } from './kinds.ts';
import { nsightNotes } from './notes.ts';
import { NsightRows } from './nsightRows.ts';

export interface NsightOptions extends ImportOptions {
  /** Called between rows to give other work a turn. */
  readonly pause: () => Promise<void>;
  /** Limit of rows in the trace. Default: as many as a run's file can contain. */
  readonly mostRows?: number | undefined;
}

type Take = (row: Cells) => void;

/** Rows between two pauses: some milliseconds of work. */
const rowsAtOnce = 4096;

/**
 * Returns the trace as a run without an experiment. A damaged database gives a run with status 'failed' and everything
 * that could be read; its error names the table. Rejects with `trace-file.not-a-trace` if it contains no trace.
 */
export async function readNsightDatabase(database: Database, options: NsightOptions): Promise<Run> {
  const reader = new Reader(database, options);
  reader.requireTrace();
  return importedRun(await reader.read(), options);
}

/** Required columns of each table, and optional ones. */
const deviceColumns = ['start', 'end', 'deviceId', 'streamId'] as const;
const deviceOptions = ['correlationId', 'globalPid'] as const;
const hostColumns = ['start', 'end', 'globalTid'] as const;

const traceTables = /^(CUPTI_ACTIVITY_KIND_(KERNEL|MEMCPY|MEMSET|RUNTIME|GRAPH_TRACE)|NVTX_EVENTS|OSRT_API)(_V\d+)?$/;

class Reader {
  readonly #database: Database;
  readonly #options: NsightOptions;
  readonly #read = new Set<string>();
  #events = 0;
  #sincePause = 0;
  #problem: ErrorInfo | null = null;

  constructor(database: Database, options: NsightOptions) {
    this.#database = database;
    this.#options = options;
    const { damage } = database;
    if (damage !== null) this.#problem = traceFileError('trace-file.truncated', `${damage}.`).toInfo();
  }

  requireTrace(): void {
    if ([...this.#database.tables].some((name) => traceTables.test(name))) return;
    throw traceFileError(
      'trace-file.not-a-trace',
      'this database is no trace: it has none of the tables that Nsight Systems exports, as CUPTI_ACTIVITY_KIND_KERNEL.',
    );
  }

  async read() {
    const rows = new NsightRows(
      {
        copies: await this.#enum('ENUM_CUDA_MEMCPY_OPER'),
        memories: await this.#enum('ENUM_CUDA_MEM_KIND'),
        syncs: await this.#enum('ENUM_CUPTI_SYNC_TYPE'),
        nvtx: await this.#enum('ENUM_NSYS_EVENT_TYPE'),
        streams: await this.#enum('ENUM_CUPTI_STREAM_TYPE'),
      },
      this.#options.mostRows ?? maxRunRows,
    );
    await this.#context(rows);
    await this.#activities(rows);
    const { header, incomplete, wholeGraphs, withoutStack } = rows;
    const { trace, devices } = rows.finish();
    const [first] = devices;
    return {
      format: 'nsight-systems' as const,
      trace,
      events: this.#events,
      startedMs: header.startedMs,
      device: first === undefined ? null : header.device(first),
      driver: header.driver,
      runtime: null,
      cupti: null,
      problem: this.#problem,
      notes: nsightNotes(trace, {
        product: header.product,
        incomplete,
        wholeGraphs,
        withoutStack,
        leftOut: this.#leftOut(),
        problem: this.#problem,
      }),
    };
  }

  /** Reads the machine and tables that rows refer to. Takes only single rows of private tables (nsightHeader.ts). */
  async #context({ names, header, addThreadName, addStream, addFrame }: NsightRows): Promise<void> {
    await this.#scan('StringIds', ['id', 'value'], [], (row) => names.addString(row['id'], row['value']));
    await this.#scan('TARGET_INFO_GPU', [], gpuColumns, (row) => header.addGpu(row));
    await this.#scan('TARGET_INFO_CUDA_DEVICE', ['gpuId', 'cudaId', 'pid'], [], (row) => header.addCudaDevice(row));
    await this.#scan('TARGET_INFO_SESSION_START_TIME', ['utcEpochNs'], [], (row) => header.addStart(row));
    await this.#scan('TARGET_INFO_SYSTEM_ENV', ['name', 'value'], [], (row) => header.addSystem(row));
    await this.#scan('META_DATA_EXPORT', ['name', 'value'], [], (row) => header.addExport(row));
    await this.#scan('ThreadNames', ['globalTid', 'nameId'], [], addThreadName);
    await this.#scan('TARGET_INFO_CUDA_STREAM', ['streamId', 'processId', 'flag'], [], addStream);
    await this.#scan('CUDA_CALLCHAINS', ['id', 'symbol', 'stackDepth'], ['module'], addFrame);
  }

  /** Reads calls first, which give the process, then device activity, which gives the streams that waits may name. */
  async #activities(rows: NsightRows): Promise<void> {
    const event = async (table: string, columns: readonly string[], more: readonly string[], take: Take) =>
      this.#scan(table, columns, more, take, () => rows.full);
    const cupti = (kind: string): string => `CUPTI_ACTIVITY_KIND_${kind}`;
    await event(cupti('RUNTIME'), [...hostColumns, 'nameId'], ['correlationId', 'callchainId'], rows.addCall);
    await event(cupti('KERNEL'), deviceColumns, [...deviceOptions, 'demangledName', 'shortName'], rows.addKernel);
    await event(cupti('GRAPH_TRACE'), deviceColumns, [...deviceOptions, 'graphId'], rows.addGraph);
    await event(cupti('MEMCPY'), [...deviceColumns, 'bytes', 'copyKind'], copyOptions, rows.addCopy);
    await event(cupti('MEMSET'), [...deviceColumns, 'bytes'], [...deviceOptions, 'memKind'], rows.addMemset);
    await event(cupti('CUDA_EVENT'), ['streamId', 'eventId', 'correlationId'], eventOptions, rows.addEvent);
    await event(cupti('SYNCHRONIZATION'), ['start', 'streamId'], syncOptions, rows.addSync);
    await event('NVTX_EVENTS', [...hostColumns, 'eventType'], ['text', 'textId'], rows.addNvtx);
    await event('OSRT_API', [...hostColumns, 'nameId'], [], rows.addOsCall);
    await event('CUBLAS_EVENTS', [...hostColumns, 'nameId'], [], rows.addLibraryCall);
    await event('CUDNN_EVENTS', [...hostColumns, 'nameId'], [], rows.addLibraryCall);
  }

  async #enum(table: string): Promise<EnumTable | null> {
    const names = new Map<number, string>();
    await this.#scan(table, ['id', 'name'], [], (row) => names.set(wholeOf(row['id']), textOf(row['name'])));
    return names.size === 0 ? null : names;
  }

  /** Passes all rows of the tables with this name to `take`, as far as they are readable and `full` allows. */
  async #scan(
    name: string,
    columns: readonly string[],
    more: readonly string[],
    take: Take,
    full: (() => string | null) | null = null,
  ): Promise<void> {
    for (const other of tablesNamed(this.#database.others, name)) {
      this.#fail(other, 'it is no plain table but a view or the like, and is not read');
    }
    for (const table of tablesNamed(this.#database.tables, name)) {
      this.#read.add(table);
      const count = await this.#scanTable(table, columns, more, take, full);
      if (full !== null) this.#events += count;
    }
  }

  /** Returns the number of rows it took. */
  async #scanTable(
    table: string,
    columns: readonly string[],
    more: readonly string[],
    take: Take,
    full: (() => string | null) | null,
  ): Promise<number> {
    let count = 0;
    try {
      const has = this.#database.columns(table);
      const missing = columns.filter((column) => !has.includes(column));
      if (missing.length > 0) {
        this.#fail(table, `it has no column ${missing.join(', ')}`);
        return 0;
      }
      for (const row of this.#database.rows(table, [...columns, ...more.filter((column) => has.includes(column))])) {
        const reason = full?.() ?? null;
        if (reason !== null) {
          this.#fail(table, `after ${count} rows no more are taken: ${reason}`);
          break;
        }
        take(row);
        count += 1;
        this.#sincePause += 1;
        if (this.#sincePause >= rowsAtOnce) await this.#pause(full === null ? 0 : count);
      }
    } catch (thrown) {
      if (thrown instanceof CopyscopeError) throw thrown;
      this.#fail(table, `after ${count} rows it can't be read on: ${(thrown as Error).message}`);
    }
    return count;
  }

  async #pause(count: number): Promise<void> {
    this.#sincePause = 0;
    this.#options.onProgress?.(this.#events + count);
    await this.#options.pause();
  }

  /** Keeps only the first problem; others usually follow from it. */
  #fail(table: string, reason: string): void {
    const message = `table ${table}: ${reason.slice(0, 300).replace(/\.$/, '')}.`;
    this.#problem ??= traceFileError('trace-file.malformed', message, { field: table }).toInfo();
  }

  /** Returns the non-empty tables that aren't read. */
  #leftOut(): string[] {
    return [...this.#database.tables].filter(
      (table) => recordedTables.test(table) && !this.#read.has(table) && this.#isFilled(table),
    );
  }

  #isFilled(table: string): boolean {
    try {
      const [column] = this.#database.columns(table);
      if (column === undefined) return false;
      for (const _ of this.#database.rows(table, [column])) return true;
    } catch {
      // A table that isn't shown needn't be readable.
    }
    return false;
  }
}

/** Tables with recorded data, rather than what it refers to. */
const recordedTables =
  /(_EVENTS|_API|_EVENT|_DATA|METRICS|OVERHEAD|_USAGE)(_V\d+)?$|^CUPTI_ACTIVITY_KIND_|^MPI_|^SAMPLING_|^GENERIC_/;

const gpuColumns = [
  'id',
  'deviceId',
  'name',
  'busLocation',
  'totalMemory',
  'smCount',
  'asyncEngines',
  'computeMajor',
  'computeMinor',
];
const copyOptions = [...deviceOptions, 'srcKind', 'dstKind', 'srcDeviceId', 'dstDeviceId'];
const eventOptions = ['globalPid', 'timestamp', 'eventSyncId'];
const syncOptions = ['globalPid', 'correlationId', 'syncType', 'deprecatedSyncType', 'eventSyncId'];
