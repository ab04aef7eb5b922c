/** The palette's operations: grouped, named as CUDA and PyTorch name them, with what they do in a few words. */
import type { OperationName } from '../../core/experiment/operations.ts';

export interface OperationText {
  readonly name: OperationName;
  readonly title: string;
  /** CUDA's or PyTorch's call, and what it is for. */
  readonly summary: string;
}

export interface OperationSection {
  readonly title: string;
  readonly operations: readonly OperationText[];
}

const text = (name: OperationName, title: string, summary: string): OperationText => ({ name, title, summary });

export const operationSections: readonly OperationSection[] = [
  {
    title: 'In a stream',
    operations: [
      text('copy', 'Copy', 'cudaMemcpyAsync: H2D, D2H or D2D'),
      text('kernel', 'Kernel', 'spin, stream over bytes, or arithmetic'),
      text('memset', 'Memset', 'cudaMemsetAsync'),
      text('recordEvent', 'Record event', 'cudaEventRecord'),
      text('waitEvent', 'Wait for event', 'cudaStreamWaitEvent'),
      text('hostFunction', 'Host function', 'cudaLaunchHostFunc'),
      text('graphLaunch', 'Launch graph', 'cudaGraphLaunch'),
      text('multiCopy', 'Copy many tensors', 'one of seven strategies'),
      text('item', 'Item', 'Tensor.item(): D2H of a scalar, then wait'),
    ],
  },
  {
    title: 'Wait on the host',
    operations: [
      text('synchronizeEvent', 'Synchronize event', 'cudaEventSynchronize'),
      text('synchronizeStream', 'Synchronize stream', 'cudaStreamSynchronize'),
      text('synchronizeDevice', 'Synchronize device', 'cudaDeviceSynchronize'),
      text('queryStream', 'Query stream', 'cudaStreamQuery'),
      text('queryEvent', 'Query event', 'cudaEventQuery'),
      text('elapsedTime', 'Elapsed time', 'cudaEventElapsedTime'),
    ],
  },
  {
    title: 'On the host',
    operations: [
      text('work', 'Work', 'the host is busy for a while'),
      text('write', 'Write', 'the host fills a buffer'),
      text('read', 'Read', 'the host reads and checks a buffer'),
      text('pin', 'Pin', 'Tensor.pin_memory()'),
      text('allocate', 'Allocate', 'cudaMalloc, pool or caching allocator'),
      text('free', 'Free', 'gives memory back'),
      text('recordStream', 'Record stream', 'Tensor.record_stream()'),
      text('signal', 'Signal', 'to another host thread'),
      text('waitSignal', 'Wait for signal', 'from another host thread'),
    ],
  },
  {
    title: 'Around others',
    operations: [
      text('repeat', 'Repeat', 'a loop'),
      text('range', 'Range', 'an NVTX range'),
      text('graphCapture', 'Capture graph', 'cudaStreamBeginCapture to EndCapture'),
    ],
  },
];

const titles = new Map(operationSections.flatMap(({ operations }) => operations.map((one) => [one.name, one.title])));
export const operationTitle = (name: OperationName): string => titles.get(name) ?? name;

/** Whether every word that was typed is in the operation's title, name or summary. */
export function matches({ name, title, summary }: OperationText, query: string): boolean {
  const all = `${title} ${name} ${summary}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
