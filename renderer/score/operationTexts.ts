/** The palette's operations in groups, with CUDA's and PyTorch's names and a short description. */
import { bytesText, durationText } from '../../core/experiment/edit/quantities.ts';
import type { TypedOperation } from '../../core/experiment/edit/typedOperation.ts';
import type { OperationName } from '../../core/experiment/operations.ts';

export interface OperationText {
  readonly name: OperationName;
  readonly title: string;
  /** CUDA's or PyTorch's call, and its purpose. */
  readonly summary: string;
}

export interface OperationSection {
  readonly title: string;
  readonly operations: readonly OperationText[];
}

/** Purpose of each operation, by heading of the palette. */
const summaries: Readonly<Record<string, Partial<Readonly<Record<OperationName, string>>>>> = {
  'In a stream': {
    copy: 'cudaMemcpyAsync: H2D, D2H or D2D',
    kernel: 'spin, stream over bytes, arithmetic, matmul or fft',
    memset: 'cudaMemsetAsync',
    recordEvent: 'cudaEventRecord',
    waitEvent: 'cudaStreamWaitEvent',
    hostFunction: 'cudaLaunchHostFunc',
    graphLaunch: 'cudaGraphLaunch',
    multiCopy: 'one of seven strategies',
    item: 'Tensor.item(): D2H of a scalar, then wait',
  },
  'Wait on the host': {
    synchronizeEvent: 'cudaEventSynchronize',
    synchronizeStream: 'cudaStreamSynchronize',
    synchronizeDevice: 'cudaDeviceSynchronize',
    queryStream: 'cudaStreamQuery',
    queryEvent: 'cudaEventQuery',
    elapsedTime: 'cudaEventElapsedTime',
  },
  'On the host': {
    work: 'the host is busy for a while',
    write: 'the host fills a buffer',
    read: 'the host reads and checks a buffer',
    pin: 'Tensor.pin_memory()',
    allocate: 'cudaMalloc, pool or caching allocator',
    free: 'gives memory back',
    recordStream: 'Tensor.record_stream()',
    signal: 'to another host thread',
    waitSignal: 'from another host thread',
  },
  'Around others': {
    repeat: 'a loop',
    range: 'an NVTX range',
    graphCapture: 'cudaStreamBeginCapture to EndCapture',
  },
};

/** Titles that differ from the operation's name. */
const ownTitles: Partial<Readonly<Record<OperationName, string>>> = {
  waitEvent: 'Wait for event',
  waitSignal: 'Wait for signal',
  graphLaunch: 'Launch graph',
  graphCapture: 'Capture graph',
  multiCopy: 'Copy many tensors',
};

/** Returns 'Record event' for 'recordEvent'. */
const inWords = (name: string): string =>
  name.charAt(0).toUpperCase() + name.slice(1).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

export const operationTitle = (name: OperationName): string => ownTitles[name] ?? inWords(name);

export const operationSections: readonly OperationSection[] = Object.entries(summaries).map(([title, entries]) => ({
  title,
  operations: Object.entries(entries).map(([key, summary]) => {
    const name = key as OperationName;
    return { name, title: operationTitle(name), summary };
  }),
}));

/** Returns true if every typed word is in the operation's title, name or summary. */
export function matches({ name, title, summary }: OperationText, query: string): boolean {
  const all = `${title} ${name} ${summary}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** Returns the typed operation as one line, as it will be added: 'Copy H2D, 64 MB, pinned, in side'. */
export function typedTitle({ name, direction, bytes, memory, durationNs, stream, event }: TypedOperation): string {
  const parts = [
    name === 'copy' ? `Copy ${direction.toUpperCase()}` : operationTitle(name),
    ...(bytes === undefined ? [] : [bytesText(bytes)]),
    ...(memory === undefined ? [] : [memory]),
    ...(durationNs === undefined ? [] : [durationText(durationNs)]),
    ...(event === undefined ? [] : [event]),
    ...(stream === undefined ? [] : [`in ${stream}`]),
  ];
  return parts.join(', ');
}
