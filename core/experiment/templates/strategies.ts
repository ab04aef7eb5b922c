/** Two ways to upload, compute and download many items: one stream for each item in flight, or one for each step. */
import { CopyscopeError } from '../../errors.ts';
import { formatBytes } from '../../units.ts';
import type { Experiment } from '../experiment.ts';
import {
  copy,
  defaultBytes,
  handOver,
  kernel,
  laneOf,
  lanes,
  mainThread,
  type OperationInput,
  result,
  source,
  template,
  times,
} from './build.ts';

export interface ItemOptions {
  readonly items?: number;
  readonly bytes?: number;
  /** Passes of the kernel over an item. */
  readonly passes?: number;
}

/** Returns host input and output and device input and output for each item. */
const itemBuffers = (items: number, bytes: number) =>
  times(items, (item) => [
    source(`input${item}`, 'pinned', bytes, item),
    result(`loaded${item}`, 'device', bytes),
    result(`computed${item}`, 'device', bytes),
    result(`output${item}`, 'pinned', bytes),
  ]).flat();

/**
 * Strategy A: every item goes through upload, compute and download in one stream; `streams` items are in flight. Each
 * kernel waits for the one before it, so that no two run at once.
 */
export function strategyA({
  items = 4,
  streams = 2,
  bytes = defaultBytes,
  passes = 3,
}: ItemOptions & { readonly streams?: number } = {}): Experiment {
  const operations = times(items, (item): OperationInput[] => {
    const stream = laneOf(item, streams);
    const chained = streams > 1;
    return [
      copy(`input${item}`, `loaded${item}`, stream),
      ...(chained && item > 1 ? [{ op: 'waitEvent', event: `kernel${item - 1}`, stream } as const] : []),
      kernel(`loaded${item}`, `computed${item}`, stream, passes),
      ...(chained && item < items ? [{ op: 'recordEvent', event: `kernel${item}`, stream } as const] : []),
      copy(`computed${item}`, `output${item}`, stream),
    ];
  });
  return template({
    name: 'Strategy A: one stream for each item in flight',
    description:
      'Upload, kernel and download of an item stay in one stream, and items take the streams in turn. Events keep two kernels from running at once, which bounds the memory in use.',
    buffers: itemBuffers(items, bytes),
    streams: lanes(streams),
    events: streams > 1 ? times(items - 1, (item) => ({ id: `kernel${item}` })) : [],
    threads: mainThread(operations.flat()),
  });
}

/** Strategy B: one stream uploads, one computes, one downloads; events hand each item on. */
export function strategyB({ items = 2, bytes = defaultBytes, passes = 3 }: ItemOptions = {}): Experiment {
  const operations = times(items, (item): OperationInput[] => [
    copy(`input${item}`, `loaded${item}`, 'upload'),
    ...handOver(`uploaded${item}`, 'upload', 'compute'),
    kernel(`loaded${item}`, `computed${item}`, 'compute', passes),
    ...handOver(`finished${item}`, 'compute', 'download'),
    copy(`computed${item}`, `output${item}`, 'download'),
  ]);
  return template({
    name: 'Strategy B: one stream for each step',
    description:
      'One stream uploads, one computes and one downloads. An event after each upload lets its kernel begin, and an event after each kernel lets its download begin; kernels never run at once.',
    buffers: itemBuffers(items, bytes),
    streams: [{ id: 'upload' }, { id: 'compute' }, { id: 'download' }],
    events: times(items, (item) => [{ id: `uploaded${item}` }, { id: `finished${item}` }]).flat(),
    threads: [{ id: 'main', operations: [...operations.flat(), { op: 'synchronizeStream', stream: 'download' }] }],
  });
}

/**
 * One large tensor in chunks that use the streams in turn: upload, kernel and download of neighbours overlap. The last
 * chunk has the remainder. Sizes are rounded down to whole 32-bit words, which the kernel multiplies.
 */
export function chunkedPipeline({
  bytes = 4 * defaultBytes,
  chunkBytes = defaultBytes,
  streams = 2,
  passes = 3,
}: {
  /** Size of the whole tensor. */
  readonly bytes?: number;
  readonly chunkBytes?: number;
  readonly streams?: number;
  readonly passes?: number;
} = {}): Experiment {
  if (chunkBytes > bytes) throw chunkTooLarge(chunkBytes, bytes);
  const [whole, chunk] = [inWords(bytes), inWords(chunkBytes)];
  const chunks = Math.ceil(whole / chunk);
  if (chunks > mostChunks) throw tooManyChunks(chunks);
  const sizeOf = (number: number): number => Math.min(chunk, whole - (number - 1) * chunk);
  const operations = times(chunks, (number): OperationInput[] => {
    const stream = laneOf(number, streams);
    const [offset, size] = [(number - 1) * chunk, sizeOf(number)];
    return [
      { op: 'copy', src: 'tensor', srcOffset: offset, dst: `loaded${number}`, bytes: size, stream },
      kernel(`loaded${number}`, `computed${number}`, stream, passes),
      { op: 'copy', src: `computed${number}`, dst: 'output', dstOffset: offset, bytes: size, stream },
    ];
  });
  return template({
    name: chunks === 1 ? 'Pipeline of one chunk' : `Pipeline of ${chunks} chunks`,
    description:
      'A tensor is uploaded, multiplied and downloaded in chunks. The chunks use the streams in turn, so that the upload of one overlaps the kernel of another and the download of a third.',
    buffers: [
      source('tensor', 'pinned', whole),
      result('output', 'pinned', whole),
      ...times(chunks, (number) => [
        result(`loaded${number}`, 'device', sizeOf(number)),
        result(`computed${number}`, 'device', sizeOf(number)),
      ]).flat(),
    ],
    streams: lanes(streams),
    threads: mainThread(operations.flat()),
  });
}

const inWords = (bytes: number): number => Math.max(4, Math.floor(bytes / 4) * 4);

/** More chunks would take too long to issue. */
const mostChunks = 10_000;

const tooManyChunks = (chunks: number): CopyscopeError =>
  new CopyscopeError({
    code: 'template.invalid',
    field: 'chunkBytes',
    message: `the tensor would be cut into ${chunks} chunks; at most ${mostChunks} are made.`,
    remedy: 'Use a larger chunk, or a smaller tensor.',
  });

const chunkTooLarge = (chunk: number, whole: number): CopyscopeError =>
  new CopyscopeError({
    code: 'template.invalid',
    field: 'chunkBytes',
    message: `a chunk of ${formatBytes(chunk)} is larger than the tensor of ${formatBytes(whole)}.`,
    remedy: 'Use a smaller chunk, or a larger tensor.',
  });
