/**
 * The rules of CUDA and PyTorch, each stated once. Simulator, verdicts, lessons and glossary refer to a rule by its id,
 * so they never disagree. Ids are stable: summaries and documents contain them.
 */

export const ruleIds = [
  'issue-before-run',
  'stream-order',
  'streams-may-overlap',
  'legacy-default-stream',
  'non-blocking-stream',
  'event-order',
  'overlap-needs-pinned',
  'pageable-copy-holds-host',
  'pageable-destination-holds-host',
  'small-pageable-copy',
  'host-to-host-copy',
  'blocking-memcpy',
  'one-engine-per-direction',
  'copy-queues',
  'directions-share-link',
  'copy-without-engine',
  'small-copy-latency',
  'launch-cost',
  'launch-queue',
  'synchronize-holds-host',
  'blocking-to',
  'pin-memory-blocks',
  'to-cpu-non-blocking',
  'source-in-flight',
  'destination-before-arrival',
  'record-stream',
  'stream-ordered-allocation',
  'threads-run-apart',
  'time-the-stream',
  'launch-blocking',
  'allocation-waits',
  'sm-share',
  'stream-priority',
  'mapped-memory',
  'host-function-in-turn',
  'graph-runs-when-launched',
  'graph-launches-in-turn',
  'peer-copy',
  'host-copies-share-memory',
] as const;
export type RuleId = (typeof ruleIds)[number];

export type RuleSource =
  | { readonly kind: 'documentation'; readonly document: string; readonly section: string }
  | {
      readonly kind: 'measurement';
      /** For example 'NVIDIA H200, CUDA 13.0'. */
      readonly on: string;
      /** Result of the measurement, with its figures. */
      readonly figure: string;
    };

export interface Rule {
  readonly id: RuleId;
  readonly title: string;
  /** One or two short sentences. */
  readonly statement: string;
  readonly sources: readonly RuleSource[];
}

const documented = (document: string, section: string): RuleSource => ({ kind: 'documentation', document, section });
const measured = (figure: string): RuleSource => ({ kind: 'measurement', on: 'NVIDIA H200, CUDA 13.0', figure });

const apiSync = documented('CUDA Runtime API', 'API synchronization behavior');
const streamSync = documented('CUDA Runtime API', 'Stream synchronization behavior');
const guide = (section: string): RuleSource => documented('CUDA C++ Programming Guide', section);
const pinTutorial = documented('PyTorch tutorials', 'A guide on good usage of non_blocking and pin_memory()');
const cudaSemantics = (section: string): RuleSource => documented('PyTorch notes: CUDA semantics', section);

const table: Readonly<Record<RuleId, Omit<Rule, 'id'>>> = {
  'issue-before-run': {
    title: 'Work runs only after it is issued',
    statement: 'The device starts nothing that the host has not issued yet. A held host thread leaves the device idle.',
    sources: [guide('Asynchronous concurrent execution')],
  },
  'stream-order': {
    title: 'A stream runs its work in issue order',
    statement: 'Two operations in one stream never overlap: the later one waits until the earlier one has completed.',
    sources: [guide('Streams'), cudaSemantics('CUDA streams')],
  },
  'streams-may-overlap': {
    title: 'Different streams may overlap',
    statement: 'Nothing orders work in different streams, unless an event, the legacy default stream or the host does.',
    sources: [guide('Streams'), cudaSemantics('CUDA streams')],
  },
  'legacy-default-stream': {
    title: 'The legacy default stream waits, and is waited for',
    statement:
      'Work in the legacy default stream waits for all earlier work in blocking streams of the device. Later work in those streams waits for it in turn.',
    sources: [streamSync],
  },
  'non-blocking-stream': {
    title: 'Non-blocking streams ignore the legacy default stream',
    statement:
      'A stream created with cudaStreamNonBlocking neither waits for the legacy default stream nor holds it up.',
    sources: [streamSync],
  },
  'event-order': {
    title: 'A waiting stream stands still until the event',
    statement:
      'After cudaStreamWaitEvent, later work in the stream waits for everything that the event had recorded when the wait was issued.',
    sources: [documented('CUDA Runtime API', 'Stream management: cudaStreamWaitEvent')],
  },
  'overlap-needs-pinned': {
    title: 'What a copy needs to overlap a kernel',
    statement:
      'To overlap a kernel that is issued after it: page-locked host memory, two streams with no order between them, and a free copy engine for the direction. A copy of pageable memory holds the host, so it overlaps only work that was launched before it.',
    sources: [
      guide('Overlap of data transfer and kernel execution'),
      pinTutorial,
      measured('from pinned memory in a second stream 100 % of the kernel overlapped; pageable, or in one stream, 0 %'),
      measured('a pageable copy of 20 MiB in a second stream overlapped 74 % of a kernel of 2 ms launched before it'),
    ],
  },
  'pageable-copy-holds-host': {
    title: 'A copy from pageable memory holds the host',
    statement:
      'The driver stages the data through pinned memory of its own, piece by piece, and the call returns once the last piece is staged. The host is held for nearly the whole transfer, so a kernel launched next overlaps that last piece at most.',
    sources: [
      apiSync,
      measured('cudaMemcpyAsync of 20 MiB from pageable memory held the host 3.4 ms; from pinned memory under 0.01 ms'),
      measured(
        'copies of 2 MiB and more were over 18.5 µs after their call (median of 4,083), and a kernel launched next into another stream began 15.4 to 20.2 µs after it (medians by size)',
      ),
    ],
  },
  'pageable-destination-holds-host': {
    title: 'A copy into pageable memory holds the host',
    statement:
      'A device-to-host copy into pageable memory goes through staging memory, and its call usually returns when the data has arrived. CUDA promises that for cudaMemcpy alone: an asynchronous one "might be synchronous", so synchronise before you read.',
    sources: [
      apiSync,
      measured('cudaMemcpyAsync of 1 MiB to pageable memory held the host 138 µs, with a transfer of 21 µs in it'),
    ],
  },
  'small-pageable-copy': {
    title: 'Up to 64 KB travels with the command',
    statement:
      'A host-to-device copy of at most 64 KB from pageable memory is taken into the command buffer. The call returns without waiting for the device.',
    sources: [
      guide('Concurrent execution between host and device'),
      measured('a call copying 64 KiB from pageable memory took 17 µs, 4 KiB 2.8 µs'),
    ],
  },
  'host-to-host-copy': {
    title: 'Host to host is synchronous',
    statement: 'The calling thread itself copies between two host buffers, also in an asynchronous call.',
    sources: [apiSync],
  },
  'blocking-memcpy': {
    title: 'cudaMemcpy holds the host',
    statement:
      'It runs in the default stream. With pinned memory it returns when the copy has completed; from pageable memory when the data is staged, having waited for the stream first; within the device at once.',
    sources: [apiSync],
  },
  'one-engine-per-direction': {
    title: 'One copy engine for each direction',
    statement:
      'Copies of one direction run one after another, in whatever streams they are. Host-to-device and device-to-host run at once.',
    sources: [
      guide('Concurrent data transfers'),
      measured('two streams of host-to-device copies reached 53 GB/s together, one alone 55 GB/s'),
    ],
  },
  'copy-queues': {
    title: 'Copies of many streams share a few queues',
    statement:
      'A copy engine has four queues, and a stream keeps one until another stream takes it. With more than four streams a copy also waits for earlier copies of other streams in its queue, even if those are not ready.',
    sources: [
      measured(
        'CUPTI named four channels for each direction: none of 11,566 copies overtook the one before it in its channel, and a copy that was ready waited 110 us for one of another stream that waited for its kernel',
      ),
    ],
  },
  'directions-share-link': {
    title: 'Both directions at once get less each',
    statement: 'Host-to-device and device-to-host copies that run at the same time slow each other down.',
    sources: [measured('55 GB/s for each direction alone, 86 GB/s for both together')],
  },
  'copy-without-engine': {
    title: 'Not every copy uses a copy engine',
    statement:
      'Device-to-device copies and small ones to the device run where kernels run: they compete with kernels, and wait for no copy engine.',
    sources: [
      measured('CUPTI gave channel type compute for a device-to-device copy and for 4 KB from pageable memory'),
      measured(
        'and for all of 2,800 copies of up to 1 KiB from pinned memory, and up to 24 KiB where their stream was idle',
      ),
    ],
  },
  'small-copy-latency': {
    title: 'Small copies cost latency, not bandwidth',
    statement: 'Below some size a copy takes a fixed time, and issuing it takes longer than moving its bytes.',
    sources: [measured('4 B and 4 KB from pinned memory both took about 11 µs from call to synchronised end')],
  },
  'launch-cost': {
    title: 'Every launch costs host time',
    statement:
      'Issuing work takes microseconds. Work that ends before the host can issue the next call overlaps nothing.',
    sources: [measured('500 empty kernels took 4.9 µs each to launch, a cudaMemcpyAsync from pinned memory 2.5 µs')],
  },
  'launch-queue': {
    title: 'The launch queue has an end',
    statement:
      'Launches are asynchronous until too many operations are pending. Then the call blocks until one completes.',
    sources: [measured('the host blocked at the 1,022nd pending operation')],
  },
  'synchronize-holds-host': {
    title: 'Synchronising holds the host',
    statement:
      'cudaStreamSynchronize, cudaEventSynchronize and cudaDeviceSynchronize return when the work they wait for has completed. Until then the thread issues nothing.',
    sources: [guide('Synchronization of streams')],
  },
  'blocking-to': {
    title: 'Tensor.to() blocks unless non_blocking is set',
    statement:
      'Tensor.to(non_blocking=False) issues an asynchronous copy and then synchronises its stream, so the host waits for the copy.',
    sources: [pinTutorial, documented('PyTorch source', 'aten/src/ATen/native/cuda/Copy.cu')],
  },
  'pin-memory-blocks': {
    title: 'pin_memory() copies on the host',
    statement:
      'It takes page-locked memory from the caching host allocator and copies into it on the calling thread, which waits.',
    sources: [pinTutorial],
  },
  'to-cpu-non-blocking': {
    title: "to('cpu', non_blocking=True) returns early",
    statement: 'It copies into pinned memory and returns before the data is there. Synchronise before reading it.',
    sources: [pinTutorial],
  },
  'source-in-flight': {
    title: 'A pinned source must stay as it is',
    statement:
      'Changing a pinned source before its copy has completed changes what arrives. A pageable source has been staged when the call returns, with every driver measured here; CUDA only says that such a copy "might be synchronous".',
    sources: [pinTutorial, apiSync],
  },
  'destination-before-arrival': {
    title: 'A destination is valid only after synchronising',
    statement: 'Reading the destination of a device-to-host copy before synchronising may read what was there before.',
    sources: [pinTutorial],
  },
  'record-stream': {
    title: 'Freed memory may be handed out again',
    statement:
      'The caching allocator reuses freed memory for its own stream at once. record_stream tells it which other stream still uses the memory.',
    sources: [cudaSemantics('CUDA streams'), documented('PyTorch documentation', 'torch.Tensor.record_stream')],
  },
  'stream-ordered-allocation': {
    title: 'Memory lives from its allocation to its free',
    statement:
      'cudaMallocAsync and cudaFreeAsync take their turn in a stream. Every use must come after the one and end before the other; cudaFree waits for the device instead.',
    sources: [guide('Stream ordered memory allocator'), documented('CUDA Runtime API', 'Memory management: cudaFree')],
  },
  'threads-run-apart': {
    title: 'Nothing orders two host threads',
    statement:
      'Calls of different host threads come in any order, also into one stream, unless one thread waits for a signal of the other.',
    sources: [documented('ISO C++', 'Multi-threaded executions and data races'), streamSync],
  },
  'time-the-stream': {
    title: 'Timing without synchronising measures the enqueue',
    statement: 'A host clock around asynchronous calls measures the calls. Events measure what the stream did.',
    sources: [cudaSemantics('Asynchronous execution')],
  },
  'launch-blocking': {
    title: 'Launch blocking makes every call wait',
    statement:
      'With CUDA_LAUNCH_BLOCKING=1 a call that puts work into a stream returns when that work has completed. Nothing overlaps.',
    sources: [
      documented('CUDA C++ Programming Guide', 'CUDA environment variables'),
      cudaSemantics('Asynchronous execution'),
    ],
  },
  'allocation-waits': {
    title: 'Allocating and freeing may wait for the device',
    statement:
      'cudaFree waits for all work of the device, and so does cudaMalloc with some drivers (not with the one of the recorded H200). Pools and caching allocators wait for nothing as long as they hold what is asked for.',
    sources: [guide('Implicit synchronization'), cudaSemantics('Memory management')],
  },
  'sm-share': {
    title: 'Kernels that leave room run at once',
    statement:
      'Kernels run at once while the multiprocessors have room for both. A kernel limited by memory keeps most of its throughput on fewer of them, one limited by arithmetic loses as many parts as it loses multiprocessors.',
    sources: [
      guide('Concurrent kernel execution'),
      measured(
        'on half of the multiprocessors a byte-streaming kernel reached 77 % of its throughput and an arithmetic one 50 %; on a quarter of them 48 % and 25 %',
      ),
    ],
  },
  'stream-priority': {
    title: 'Among waiting kernels the more urgent starts first',
    statement:
      'A stream of higher priority gets the multiprocessors first when they become free. A running kernel goes on.',
    sources: [guide('Stream priorities')],
  },
  'mapped-memory': {
    title: 'A kernel moves mapped memory itself',
    statement:
      'A kernel that reads or writes mapped host memory moves the bytes over the link while it runs. No copy engine takes part, and copies during that time begin late and get little of the link.',
    sources: [
      guide('Mapped memory'),
      measured(
        'kernels read mapped memory at 51 GB/s and wrote it at 52 GB/s; concurrent copies kept 4 to 14 % of their speed, and half with one on a quarter of the multiprocessors; copies began 87 to 132 us late with one on all of them, 32 to 36 on a quarter',
      ),
    ],
  },
  'host-function-in-turn': {
    title: 'Host functions take turns on one thread',
    statement:
      'A host function runs on a thread of CUDA when its stream has come to it. Later work in its stream waits.',
    sources: [
      documented('CUDA Runtime API', 'cudaLaunchHostFunc'),
      measured('a function started 13.6 us after its call, and 2.4 us after another one'),
    ],
  },
  'graph-runs-when-launched': {
    title: 'A graph runs when it is launched',
    statement: 'Captured work becomes part of a graph instead of running. Each launch runs all of it, in one call.',
    sources: [
      guide('CUDA graphs'),
      measured('1,000 empty kernels took 3.2 us to launch as a graph and 0.7 us each to run'),
    ],
  },
  'graph-launches-in-turn': {
    title: 'Launches of one graph wait for each other',
    statement:
      'An executable graph runs once at a time: a launch waits for the launch before it, in whatever stream. Instantiate the graph twice to run it twice at once.',
    sources: [documented('CUDA Runtime API', 'Graph management: cudaGraphLaunch')],
  },
  'peer-copy': {
    title: 'Devices copy to each other directly with peer access',
    statement:
      'With peer access a copy between two devices goes over the link between them, without it through the host. While cudaMemcpy copies between two devices in the legacy default stream, nothing else runs on either.',
    sources: [
      guide('Peer-to-peer memory copy'),
      measured('256 MiB went at 395 GB/s over NVLink, and at 39 GB/s by way of the host'),
    ],
  },
  'host-copies-share-memory': {
    title: "Threads that copy share the host's memory",
    statement:
      'One thread copies slower than the link moves data. Several together outdo it, until the memory of the host is busy.',
    sources: [measured('memcpy reached 8.7 GB/s with 1 thread, 32.8 with 4 and 58.9 with 8')],
  },
};

/** All rules, in teaching order. */
export const rules: readonly Rule[] = ruleIds.map((id) => ({ id, ...table[id] }));

export const rule = (id: RuleId): Rule => ({ id, ...table[id] });

/** Formats a source for readers: document and section, or place and result of a measurement. */
export function describeSource(source: RuleSource): string {
  return source.kind === 'documentation'
    ? `${source.document}: ${source.section}`
    : `measured on an ${source.on}: ${source.figure}`;
}
