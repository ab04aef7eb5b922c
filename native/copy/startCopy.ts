/** Copies of whole structures of tensors between host and devices, started at once and finished in the background. */
import { CopyscopeError, toErrorInfo } from '../../core/errors.ts';
import { DeviceGroup } from './deviceGroup.ts';
import { HostGroup } from './hostGroup.ts';
import { copyStates, type NativeCopy, nativeCopies, type StartedCopy } from './nativeCopies.ts';
import { type CopyTuning, toNativeOptions } from './options.ts';
import type { Group, Route } from './results.ts';
import { type CopyStream, requireTakesPart } from './streams.ts';
import { type DeviceStorage, DeviceTensor, HostTensor, releaseBuffer } from './tensors.ts';
import { type Traversal, traverse } from './traverse.ts';

export interface CopyOptions extends CopyTuning {
  /** Stream to copy in. Default: the device's current one. */
  readonly stream?: CopyStream;
  /** Also copies tensors that are on the target device already. Default: false, such leaves are returned unchanged. */
  readonly copy?: boolean;
}

export interface CopyHandle<T = unknown> {
  /** Returns true if get() has its answer. Never waits. */
  ready(): boolean;
  /**
   * Returns the data with its tensors on the target. Rejects with a CopyscopeError: the failure, or `copy.cancelled`.
   * The same promise each time.
   */
  get(): Promise<T>;
  /** Cancels the copy soon, and releases its results' memory. Returns false if it had ended already. */
  cancel(): boolean;
}

const hostDevice = 'cpu';

/**
 * Copies the tensors of `data` (typed arrays, Buffers, DataViews, HostTensors, DeviceTensors) to `device`: `cuda:0`,
 * `cpu` for host memory, `cpu-device:0` for a simulated device. Arrays, plain objects and Maps are copied as
 * containers, to any depth; everything else is passed through unchanged. Returns at once; sources must stay unchanged
 * until the handle is ready. Results on a device are DeviceTensors, on the host HostTensors in page-locked memory.
 * Throws a CopyscopeError for data that contains itself (`copy.cyclic`), an unknown device (`copy.no-device`) or a bad
 * option (`copy.bad-option`). Later errors reject get().
 */
export function startCopy<T = unknown>(data: unknown, device: string, options: CopyOptions = {}): CopyHandle<T> {
  const route: Route = { options: toNativeOptions(options), stream: options.stream };
  const traversal = traverse(data);
  const groups = sortLeaves(traversal, device, options);
  const started: Group[] = [];
  try {
    for (const start of groups) started.push(start(route));
  } catch (thrown) {
    for (const group of started) abandon(group);
    throw toCopyscopeError(thrown);
  }
  return new Handle<T>(traversal, started);
}

/** Groups the leaves by origin, and puts those that stay at once. */
function sortLeaves(traversal: Traversal, device: string, options: CopyOptions): ((route: Route) => Group)[] {
  const devices = new Map<string, DeviceGroup>();
  const allTravel = traversal.hasOnlyViews && (device !== hostDevice || options.copy === true);
  const host = allTravel ? HostGroup.ofAll(traversal) : HostGroup.empty(traversal);
  if (!allTravel) sortEach(traversal, device, options, host, devices);
  if (options.stream !== undefined) {
    requireTakesPart(options.stream, new Set([device, ...devices.keys()].filter((name) => name !== hostDevice)));
  }
  const starts: ((route: Route) => Group)[] = [];
  if (host.size > 0) {
    starts.push((route) => (device === hostDevice ? host.duplicate(route) : host.upload(device, route)));
  }
  for (const group of devices.values()) {
    starts.push((route) => (device === hostDevice ? group.download(route) : group.sendTo(device, route)));
  }
  return starts;
}

function sortEach(
  traversal: Traversal,
  device: string,
  options: CopyOptions,
  host: HostGroup,
  devices: Map<string, DeviceGroup>,
): void {
  traversal.leaves.forEach((leaf, index) => {
    const from = leaf instanceof DeviceTensor ? leaf.device : hostDevice;
    if (from === device && options.copy !== true) traversal.put(index, leaf);
    else if (leaf instanceof DeviceTensor) groupOf(devices, from, traversal).add(index, leaf);
    else if (leaf instanceof HostTensor) host.addTensor(index, leaf);
    else host.add(index, leaf);
  });
}

function groupOf(groups: Map<string, DeviceGroup>, device: string, traversal: Traversal): DeviceGroup {
  let group = groups.get(device);
  if (group === undefined) {
    group = new DeviceGroup(device, traversal);
    groups.set(device, group);
  }
  return group;
}

export class Handle<T> implements CopyHandle<T> {
  readonly #traversal: Traversal;
  readonly #groups: readonly Group[];
  #result: Promise<T> | null = null;
  #cancelled = false;

  constructor(traversal: Traversal, groups: readonly Group[]) {
    this.#traversal = traversal;
    this.#groups = groups;
  }

  ready(): boolean {
    return this.#groups.every(({ started }) => stateOf(started.copy) !== 'pending');
  }

  get(): Promise<T> {
    this.#result ??= this.ready() ? this.#settle() : this.#whenEnded();
    return this.#result;
  }

  cancel(): boolean {
    if (this.#cancelled || this.ready()) return false;
    this.#cancelled = true;
    for (const group of this.#groups) abandon(group);
    return true;
  }

  async #whenEnded(): Promise<T> {
    await Promise.all(this.#groups.map(({ started }) => ended(started)));
    return this.#settle();
  }

  /** Called when every group has ended. */
  async #settle(): Promise<T> {
    if (this.#cancelled) throw new CopyscopeError({ code: 'copy.cancelled', message: 'The copy was cancelled.' });
    const error = this.#groups
      .map(({ started }) => nativeCopies().copyError(started.copy))
      .find((one) => one !== undefined);
    if (error !== undefined) {
      for (const group of this.#groups) group.drop();
      throw toCopyscopeError(error);
    }
    for (const group of this.#groups) group.finish();
    return this.#traversal.root() as T;
  }
}

/** Waking a thread takes longer than a few megabytes on the wire, unless their stream is full of other work. */
const patienceMs = 0.2;

/** Resolves when the copy has ended. Other tasks of the event loop run between two checks of a small one. */
async function ended({ copy, submitted }: StartedCopy): Promise<void> {
  const patientUntil = performance.now() + patienceMs;
  while (submitted && performance.now() < patientUntil) {
    await new Promise((resolve) => setImmediate(resolve));
    if (stateOf(copy) !== 'pending') return;
  }
  await new Promise<void>((resolve) => nativeCopies().copyNotify(copy, resolve));
}

function abandon(group: Group): void {
  nativeCopies().copyCancel(group.started.copy);
  group.drop();
}

function stateOf(copy: NativeCopy): (typeof copyStates)[number] {
  return copyStates[nativeCopies().copyState(copy)] ?? 'failed';
}

export function toCopyscopeError(thrown: unknown): CopyscopeError {
  if (thrown instanceof CopyscopeError) return thrown;
  const { code, remedy, field } = thrown as { code?: unknown; remedy?: unknown; field?: unknown };
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return new CopyscopeError(
    {
      ...toErrorInfo(thrown, 'copy.failed'),
      ...(text(code) === undefined ? {} : { code: text(code) ?? '' }),
      remedy: text(remedy),
      field: text(field),
    },
    { cause: thrown },
  );
}

/**
 * Frees the memory of every result in `data` now, instead of at garbage collection: device memory, and host memory made
 * by copies, whose ArrayBuffers are detached. Other host tensors stay unchanged.
 */
export function release(data: unknown): void {
  const storages = new Set<DeviceStorage>();
  const buffers = new Set<ArrayBufferLike>();
  for (const leaf of traverse(data).leaves) {
    if (leaf instanceof HostTensor) buffers.add(leaf.data.buffer);
    else if (leaf instanceof DeviceTensor && leaf.storage !== null) storages.add(leaf.storage);
  }
  for (const storage of storages) storage.release();
  for (const buffer of buffers) releaseBuffer(buffer);
}
