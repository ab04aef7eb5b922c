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
  'managed-pages',
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
    statement: 'A blocked host thread leaves the device idle.',
    sources: [guide('Asynchronous concurrent execution')],
  },
  'stream-order': {
    title: 'A stream runs its work in issue order',
    statement: 'Two operations in one stream never overlap.',
    sources: [guide('Streams'), cudaSemantics('CUDA streams')],
  },
  'streams-may-overlap': {
    title: 'Different streams may overlap',
    statement: 'Only events, the legacy default stream and the host order their work.',
    sources: [guide('Streams'), cudaSemantics('CUDA streams')],
  },
  'legacy-default-stream': {
    title: 'The legacy default stream waits, and is waited for',
    statement: 'Its work waits for earlier work in the device’s blocking streams, and later work there waits for it.',
    sources: [streamSync],
  },
  'non-blocking-stream': {
    title: 'Non-blocking streams ignore the legacy default stream',
    statement: 'A stream made with cudaStreamNonBlocking neither waits for it nor delays it.',
    sources: [streamSync],
  },
  'event-order': {
    title: 'A waiting stream stands still until the event',
    statement: 'Work after cudaStreamWaitEvent waits for what the event had recorded when the wait was issued.',
    sources: [documented('CUDA Runtime API', 'Stream management: cudaStreamWaitEvent')],
  },
  'overlap-needs-pinned': {
    title: 'What a copy needs to overlap a kernel',
    statement:
      'Page-locked host memory, two streams without an order, and a free copy engine. A pageable copy overlaps only work launched before it.',
    sources: [
      guide('Overlap of data transfer and kernel execution'),
      pinTutorial,
      measured('from pinned memory in a second stream 100 % of the kernel overlapped; pageable, or in one stream, 0 %'),
      measured('a pageable copy of 20 MiB in a second stream overlapped 74 % of a kernel of 2 ms launched before it'),
    ],
  },
  'pageable-copy-holds-host': {
    title: 'A copy from pageable memory blocks the host',
    statement:
      'The driver stages the data through pinned memory, and the call returns once all is staged. A kernel launched next overlaps the last piece at most.',
    sources: [
      apiSync,
      measured(
        'cudaMemcpyAsync of 20 MiB from pageable memory blocked the host 3.4 ms; from pinned memory under 0.01 ms',
      ),
      measured(
        'copies of 2 MiB and more were over 18.5 µs after their call (median of 4,083), and a kernel launched next into another stream began 15.4 to 20.2 µs after it (medians by size)',
      ),
    ],
  },
  'pageable-destination-holds-host': {
    title: 'A copy into pageable memory blocks the host',
    statement:
      'Its call usually returns when the data has arrived, but CUDA promises that only for cudaMemcpy. Synchronise before you read.',
    sources: [
      apiSync,
      measured('cudaMemcpyAsync of 1 MiB to pageable memory blocked the host 138 µs, with a transfer of 21 µs in it'),
    ],
  },
  'small-pageable-copy': {
    title: 'Up to 64 KB travels with the command',
    statement: 'From pageable memory to the device, they go into the command buffer.',
    sources: [
      guide('Concurrent execution between host and device'),
      measured('a call copying 64 KiB from pageable memory took 17 µs, 4 KiB 2.8 µs'),
    ],
  },
  'host-to-host-copy': {
    title: 'Host to host is synchronous',
    statement: 'The calling thread copies, also in an asynchronous call.',
    sources: [apiSync],
  },
  'blocking-memcpy': {
    title: 'cudaMemcpy blocks the host',
    statement:
      'It runs in the default stream. With pinned memory it returns after the copy; from pageable memory after waiting for the stream and staging; within the device at once.',
    sources: [apiSync],
  },
  'one-engine-per-direction': {
    title: 'One copy engine for each direction',
    statement: 'Copies of one direction take turns, in whatever streams. Both directions run at once.',
    sources: [
      guide('Concurrent data transfers'),
      measured('two streams of host-to-device copies reached 53 GB/s together, one alone 55 GB/s'),
    ],
  },
  'copy-queues': {
    title: 'Copies of many streams share a few queues',
    statement:
      'A copy engine has four queues. With more streams a copy also waits for earlier ones in its queue, ready or not.',
    sources: [
      measured(
        'CUPTI named four channels for each direction: none of 11,566 copies overtook the one before it in its channel, and a ready copy waited 110 µs for one that waited for a kernel',
      ),
    ],
  },
  'directions-share-link': {
    title: 'Both directions at once get less each',
    statement: 'Copies that run in both directions slow each other down.',
    sources: [measured('55 GB/s for each direction alone, 86 GB/s for both together')],
  },
  'copy-without-engine': {
    title: 'Not every copy uses a copy engine',
    statement: 'Device-to-device copies and small ones to the device run where kernels run, and compete with them.',
    sources: [
      measured('CUPTI gave channel type compute for a device-to-device copy and for 4 KB from pageable memory'),
      measured('and for all of 2,800 pinned copies of up to 1 KiB, and up to 24 KiB in an idle stream'),
    ],
  },
  'small-copy-latency': {
    title: 'Small copies cost latency, not bandwidth',
    statement: 'Below some size a copy takes a fixed time, and issuing it takes longer.',
    sources: [measured('4 B and 4 KB from pinned memory both took about 11 µs from call to synchronised end')],
  },
  'launch-cost': {
    title: 'Every launch costs host time',
    statement: 'Work that ends before the host can issue the next call overlaps nothing.',
    sources: [measured('500 empty kernels took 4.9 µs each to launch, a cudaMemcpyAsync from pinned memory 2.5 µs')],
  },
  'launch-queue': {
    title: 'The launch queue has an end',
    statement: 'If too many operations are pending, the call blocks until one completes.',
    sources: [measured('the host blocked at the 1,022nd pending operation')],
  },
  'synchronize-holds-host': {
    title: 'Synchronising blocks the host',
    statement: 'The thread issues nothing until the work that it waits for has completed.',
    sources: [guide('Synchronization of streams')],
  },
  'blocking-to': {
    title: 'Tensor.to() blocks unless non_blocking is set',
    statement: 'It issues an asynchronous copy, then synchronises its stream.',
    sources: [pinTutorial, documented('PyTorch source', 'aten/src/ATen/native/cuda/Copy.cu')],
  },
  'pin-memory-blocks': {
    title: 'pin_memory() copies on the host',
    statement: 'The calling thread copies into memory of the caching host allocator.',
    sources: [pinTutorial],
  },
  'to-cpu-non-blocking': {
    title: "to('cpu', non_blocking=True) returns early",
    statement: 'It copies into pinned memory. Synchronise before you read the data.',
    sources: [pinTutorial],
  },
  'source-in-flight': {
    title: 'A pinned source must stay as it is',
    statement:
      'Changing it before its copy has completed changes what arrives. Measured drivers had staged a pageable source when the call returned; CUDA doesn’t promise that.',
    sources: [pinTutorial, apiSync],
  },
  'destination-before-arrival': {
    title: 'A destination is valid only after synchronising',
    statement: 'An earlier read may find the old data.',
    sources: [pinTutorial],
  },
  'record-stream': {
    title: 'Freed memory may be handed out again',
    statement:
      'The caching allocator reuses it for its own stream at once. record_stream names another stream that uses it.',
    sources: [cudaSemantics('CUDA streams'), documented('PyTorch documentation', 'torch.Tensor.record_stream')],
  },
  'stream-ordered-allocation': {
    title: 'Memory lives from its allocation to its free',
    statement: 'cudaMallocAsync and cudaFreeAsync take their turn in a stream. Every use must be between them.',
    sources: [guide('Stream ordered memory allocator'), documented('CUDA Runtime API', 'Memory management: cudaFree')],
  },
  'threads-run-apart': {
    title: 'Nothing orders two host threads',
    statement: 'Their calls come in any order, also into one stream, unless one awaits the other’s signal.',
    sources: [documented('ISO C++', 'Multi-threaded executions and data races'), streamSync],
  },
  'time-the-stream': {
    title: 'Timing without synchronising measures the enqueue',
    statement: 'A host clock measures the calls, events measure what the stream did.',
    sources: [cudaSemantics('Asynchronous execution')],
  },
  'launch-blocking': {
    title: 'Launch blocking makes every call wait',
    statement: 'With CUDA_LAUNCH_BLOCKING=1 a call returns after its work. Nothing overlaps.',
    sources: [
      documented('CUDA C++ Programming Guide', 'CUDA environment variables'),
      cudaSemantics('Asynchronous execution'),
    ],
  },
  'allocation-waits': {
    title: 'Allocating and freeing may wait for the device',
    statement:
      'cudaFree waits for all work of the device, and with some drivers cudaMalloc (not on the recorded H200). Pools and caching allocators don’t wait while they have free memory.',
    sources: [guide('Implicit synchronization'), cudaSemantics('Memory management')],
  },
  'sm-share': {
    title: 'Kernels that leave room run at once',
    statement:
      'On fewer multiprocessors a kernel limited by memory keeps most of its throughput, one limited by arithmetic loses it in proportion.',
    sources: [
      guide('Concurrent kernel execution'),
      measured(
        'on half of the multiprocessors a byte-streaming kernel reached 77 % of its throughput and an arithmetic one 50 %; on a quarter of them 48 % and 25 %',
      ),
    ],
  },
  'stream-priority': {
    title: 'Among waiting kernels the more urgent starts first',
    statement: 'A stream of higher priority gets free multiprocessors first. A running kernel goes on.',
    sources: [guide('Stream priorities')],
  },
  'mapped-memory': {
    title: 'A kernel moves mapped memory itself',
    statement: 'Its bytes cross the link. Copies during that time begin late and get little of it.',
    sources: [
      guide('Mapped memory'),
      measured(
        'kernels read mapped memory at 51 GB/s and wrote it at 52 GB/s; concurrent copies kept 4 to 14 % of their speed, and half with one on a quarter of the multiprocessors; copies began 87 to 132 µs late with one on all of them, 32 to 36 on a quarter',
      ),
    ],
  },
  'managed-pages': {
    title: 'Pages of managed memory move to the side that touches them',
    statement: 'Kernel or host waits longer than for a copy. A prefetch moves them before.',
    sources: [
      guide('Unified memory'),
      measured(
        'pages moved to a waiting kernel at 6.1 to 13 GB/s and to the waiting host at 4.3 to 12, by prefetch at 50 and at 11 to 18; a kernel’s first touch took a GB per 59 to 130 ms; a write to read-mostly pages on both sides moved 0.04 to 0.15 GB/s from a kernel and 0.4 from the host; memory that prefers the host was used over the link at 50',
      ),
    ],
  },
  'host-function-in-turn': {
    title: 'Host functions take turns on one thread',
    statement: 'Later work in its stream waits for it.',
    sources: [
      documented('CUDA Runtime API', 'cudaLaunchHostFunc'),
      measured('a function started 13.6 µs after its call, and 2.4 µs after another one'),
    ],
  },
  'graph-runs-when-launched': {
    title: 'A graph runs when it is launched',
    statement: 'Each launch runs all captured work, in one call.',
    sources: [
      guide('CUDA graphs'),
      measured('1,000 empty kernels took 3.2 µs to launch as a graph and 0.7 µs each to run'),
    ],
  },
  'graph-launches-in-turn': {
    title: 'Launches of one graph wait for each other',
    statement: 'This holds for all streams. Instantiate a graph twice to run it twice at once.',
    sources: [documented('CUDA Runtime API', 'Graph management: cudaGraphLaunch')],
  },
  'peer-copy': {
    title: 'Devices copy to each other directly with peer access',
    statement:
      'Without it the copy goes through the host. While cudaMemcpy copies in the legacy default stream, nothing else runs on either device.',
    sources: [
      guide('Peer-to-peer memory copy'),
      measured('256 MiB went at 395 GB/s over NVLink, and at 39 GB/s by way of the host'),
    ],
  },
  'host-copies-share-memory': {
    title: "Threads that copy share the host's memory",
    statement:
      'One thread copies slower than the link. Several are faster, until memory is busy. More threads than processors take turns.',
    sources: [
      measured('memcpy reached 8.7 GB/s with 1 thread, 32.8 with 4 and 58.9 with 8'),
      measured('16 threads that pinned 4 MiB each took 2.0 times as long as one'),
      measured('64 threads with 1 ms of work each took 5.0 ms on 16 processors'),
    ],
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
