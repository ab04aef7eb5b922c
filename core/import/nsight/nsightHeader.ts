/**
 * Machine and versions of an export. Tables with environment variables, command lines, host and user names are read for
 * versions only, so none of those ever gets into a run.
 */
import type { DeviceInfo } from '../../trace/run.ts';
import { unnamedGpu } from '../importedRun.ts';
import { type Cells, textOf, wholeOf } from './database.ts';

export class NsightHeader {
  readonly #gpus = new Map<number, DeviceInfo>();
  /** Number of a device on the machine, by process and the process's own number, which CUDA_VISIBLE_DEVICES changes. */
  readonly #gpuOf = new Map<string, number>();
  startedMs = Number.NaN;
  driver: string | null = null;
  product: string | null = null;

  /** Reads a row of TARGET_INFO_GPU. Older exports call the device's number `deviceId`, newer ones `id`. */
  addGpu(row: Cells): void {
    const index = wholeOf(row['id'] ?? row['deviceId']);
    const [major, minor] = [wholeOf(row['computeMajor']), wholeOf(row['computeMinor'])];
    if (!(index >= 0)) return;
    this.#gpus.set(index, {
      index,
      name: textOf(row['name']).slice(0, 200).trim() || unnamedGpu,
      computeCapability: major >= 0 && major < 1000 && minor >= 0 && minor < 1000 ? `${major}.${minor}` : '',
      asyncEngineCount: countOr(row['asyncEngines'], null),
      multiprocessors: countOr(row['smCount'], 0),
      memoryBytes: countOr(row['totalMemory'], 0),
      pciBusId: textOf(row['busLocation']).slice(0, 40),
      linkGeneration: null,
      linkWidth: null,
    });
  }

  /** Reads a row of TARGET_INFO_CUDA_DEVICE. */
  addCudaDevice(row: Cells): void {
    const gpu = wholeOf(row['gpuId']);
    if (gpu >= 0) this.#gpuOf.set(`${wholeOf(row['pid'])} ${wholeOf(row['cudaId'])}`, gpu);
  }

  /** Reads a row of TARGET_INFO_SESSION_START_TIME. */
  addStart(row: Cells): void {
    const ns = row['utcEpochNs'];
    if (typeof ns === 'number' || typeof ns === 'bigint') this.startedMs = Number(ns) / 1e6;
  }

  /** Reads a row of TARGET_INFO_SYSTEM_ENV. */
  addSystem(row: Cells): void {
    if (row['name'] !== 'NvDriverVersion') return;
    const version = textOf(row['value']);
    if (/^[0-9.]{1,40}$/.test(version)) this.driver = version;
  }

  /** Reads a row of META_DATA_EXPORT. */
  addExport(row: Cells): void {
    if (row['name'] !== 'EXPORT_PRODUCT_VERSION') return;
    const version = textOf(row['value']);
    if (/^[0-9.]{1,40}$/.test(version)) this.product = version;
  }

  /** Returns the machine's number of a process's device, if the file has it. */
  gpu(pid: number, device: number): number {
    return this.#gpuOf.get(`${pid} ${device}`) ?? device;
  }

  device(index: number): DeviceInfo | null {
    return this.#gpus.get(index) ?? null;
  }
}

function countOr<Otherwise extends number | null>(cell: Cells[string], otherwise: Otherwise): number | Otherwise {
  const count = wholeOf(cell);
  return count >= 0 ? count : otherwise;
}
