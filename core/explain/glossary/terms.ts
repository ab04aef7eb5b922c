/** The entries of the glossary. `see` names other entries. */
import type { RuleId } from '../../rules/rules.ts';

export interface TermEntry {
  readonly name: string;
  readonly text: string;
  readonly rules?: readonly RuleId[];
  readonly see?: readonly string[];
}

export const terms = {
  allocator: {
    name: 'Caching allocator',
    text: 'PyTorch keeps device memory that was freed and hands it out again, so that most allocations call no CUDA function.',
    rules: ['record-stream', 'allocation-waits'],
    see: ['record-stream', 'stream-ordered-allocation'],
  },
  bandwidth: {
    name: 'Bandwidth',
    text: 'Bytes moved over the time it took. Copyscope counts bytes that were really moved, and the time of the device.',
    rules: ['directions-share-link', 'small-copy-latency'],
    see: ['link'],
  },
  'block-copy': {
    name: 'Block copy',
    text: 'Moves many scattered blocks, as of a KV cache: by a call for each, by one call for all (cudaMemcpyBatchAsync), by one kernel, gathered into one copy, or as the rows of a matrix (cudaMemcpy2DAsync).',
    rules: ['launch-cost', 'small-copy-latency', 'mapped-memory'],
    see: ['copy', 'multi-tensor-copy'],
  },
  'blocking-copy': {
    name: 'Blocking copy',
    text: 'A copy whose call returns when the data has arrived: cudaMemcpy, or Tensor.to() as it is by default.',
    rules: ['blocking-to', 'blocking-memcpy'],
    see: ['non-blocking', 'synchronise'],
  },
  'blocking-stream': {
    name: 'Blocking stream',
    text: 'A stream that takes its turn with the legacy default stream. cudaStreamCreate makes one; PyTorch makes non-blocking ones.',
    rules: ['legacy-default-stream'],
    see: ['non-blocking-stream', 'legacy-default-stream'],
  },
  compute: {
    name: 'Compute lane',
    text: 'Work of a device’s multiprocessors: kernels, and copies that use no copy engine.',
    rules: ['copy-without-engine', 'sm-share'],
    see: ['kernel', 'copy-engine'],
  },
  copy: {
    name: 'Copy',
    text: 'Moves bytes between host and device, or within one of them. cudaMemcpyAsync issues it into a stream.',
    rules: ['overlap-needs-pinned', 'one-engine-per-direction'],
    see: ['h2d', 'd2h', 'd2d', 'copy-engine'],
  },
  'copy-engine': {
    name: 'Copy engine',
    text: 'A part of the device that moves data while kernels run. Also called DMA engine; asyncEngineCount says how many there are.',
    rules: ['one-engine-per-direction', 'copy-queues', 'copy-without-engine'],
    see: ['h2d', 'd2h', 'overlap', 'copy-queue'],
  },
  'copy-queue': {
    name: 'Copy queue',
    text: 'One of the four ways through which copies reach a copy engine. A queue runs its copies in issue order, in whatever streams they are.',
    rules: ['copy-queues'],
    see: ['copy-engine', 'stream'],
  },
  d2d: {
    name: 'D2D',
    text: 'Device to device: a copy within the memory of one device, or from one device to another.',
    rules: ['copy-without-engine', 'peer-copy'],
    see: ['copy', 'peer-access'],
  },
  d2h: {
    name: 'D2H',
    text: 'Device to host: a copy that brings results back.',
    rules: ['to-cpu-non-blocking', 'destination-before-arrival', 'pageable-destination-holds-host'],
    see: ['h2d', 'copy-engine'],
  },
  'data-loader': {
    name: 'DataLoader',
    text: "PyTorch's reader of batches. Workers make batches; with pin_memory=True one more thread copies each into pinned memory.",
    rules: ['pin-memory-blocks', 'threads-run-apart'],
    see: ['pin-memory', 'host-thread'],
  },
  'default-stream': {
    name: 'Default stream',
    text: 'The stream that work goes into when none is named. It is the legacy default stream, unless a program was compiled for a default stream of each thread.',
    rules: ['legacy-default-stream'],
    see: ['legacy-default-stream', 'per-thread-default-stream'],
  },
  device: {
    name: 'Device',
    text: 'A GPU with its memory, copy engines and multiprocessors.',
    rules: ['issue-before-run'],
    see: ['host'],
  },
  'device-memory': {
    name: 'Device memory',
    text: 'Memory of the GPU. The host reaches it only by copies.',
    rules: ['stream-ordered-allocation'],
    see: ['pinned', 'pageable'],
  },
  event: {
    name: 'Event',
    text: 'A mark recorded in a stream. Streams and host threads can wait for it, and two of them measure the time in between.',
    rules: ['event-order', 'time-the-stream'],
    see: ['stream', 'synchronise'],
  },
  graph: {
    name: 'CUDA graph',
    text: 'Work that was captured from streams once and is launched as a whole with one call, any number of times.',
    rules: ['graph-runs-when-launched', 'graph-launches-in-turn', 'launch-cost'],
    see: ['launch'],
  },
  h2d: {
    name: 'H2D',
    text: 'Host to device: a copy that brings inputs to the GPU.',
    rules: ['overlap-needs-pinned', 'pageable-copy-holds-host'],
    see: ['d2h', 'copy-engine'],
  },
  hazard: {
    name: 'Hazard',
    text: 'Two accesses to the same bytes in no certain order, and at least one of them writes. The result may be right today and wrong tomorrow.',
    rules: ['source-in-flight', 'destination-before-arrival', 'streams-may-overlap', 'threads-run-apart'],
    see: ['synchronise', 'event'],
  },
  host: {
    name: 'Host',
    text: 'The CPU and its memory: it issues the work that the device runs.',
    rules: ['issue-before-run'],
    see: ['device', 'host-thread'],
  },
  'host-function': {
    name: 'Host function',
    text: 'A function of the program that CUDA calls on a thread of its own, in the order of a stream.',
    rules: ['host-function-in-turn'],
    see: ['stream'],
  },
  'host-thread': {
    name: 'Host thread',
    text: 'A thread of the program. It issues work call by call; while a call blocks it, it issues nothing.',
    rules: ['issue-before-run', 'threads-run-apart', 'synchronize-holds-host', 'host-copies-share-memory'],
    see: ['launch', 'synchronise'],
  },
  issue: {
    name: 'Issue',
    text: 'To put work into a stream. The call returns before the work has run. Also called: to enqueue.',
    rules: ['issue-before-run', 'launch-cost', 'launch-queue'],
    see: ['launch', 'stream'],
  },
  item: {
    name: 'item()',
    text: 'Tensor.item() copies one number to the host and waits for it. print(), nonzero() and an if on a tensor do the same.',
    rules: ['synchronize-holds-host', 'pageable-destination-holds-host'],
    see: ['synchronise'],
  },
  kernel: {
    name: 'Kernel',
    text: 'A function that runs on the multiprocessors of the device.',
    rules: ['sm-share', 'launch-cost'],
    see: ['launch', 'compute'],
  },
  launch: {
    name: 'Launch',
    text: 'The call that issues a kernel. It costs the host a few microseconds and returns before the kernel has run.',
    rules: ['launch-cost', 'launch-queue', 'launch-blocking'],
    see: ['issue', 'launch-queue', 'graph'],
  },
  'launch-blocking': {
    name: 'Launch blocking',
    text: 'CUDA_LAUNCH_BLOCKING=1: every call that issues work waits for it. It finds where an error comes from, and prevents every overlap.',
    rules: ['launch-blocking'],
    see: ['launch', 'synchronise'],
  },
  'launch-queue': {
    name: 'Launch queue',
    text: 'Work that was issued and has not run yet. It has room for a limited number: when it is full, the next launch waits.',
    rules: ['launch-queue'],
    see: ['launch'],
  },
  'legacy-default-stream': {
    name: 'Legacy default stream',
    text: 'Stream 0, which takes its turn with all blocking streams of the device.',
    rules: ['legacy-default-stream', 'non-blocking-stream'],
    see: ['per-thread-default-stream', 'blocking-stream'],
  },
  link: {
    name: 'Link',
    text: 'The connection of host and device: PCI Express, or NVLink. Both directions share it.',
    rules: ['directions-share-link'],
    see: ['bandwidth', 'peer-access'],
  },
  makespan: {
    name: 'Makespan',
    text: 'Time from the first call of an iteration to the end of its last activity.',
    see: ['overlap'],
  },
  mapped: {
    name: 'Mapped memory',
    text: 'Pinned host memory that kernels read and write in place, over the link. Also called zero-copy memory.',
    rules: ['mapped-memory'],
    see: ['pinned', 'link'],
  },
  measured: {
    name: 'Measured, recorded, simulated',
    text: 'Measured: run here, on real hardware. Recorded: run on real hardware before, and kept in a file. Simulated: predicted from a device profile.',
    see: ['profile'],
  },
  memset: {
    name: 'Memset',
    text: 'Fills device memory with one byte, in the order of its stream.',
    rules: ['stream-order'],
    see: ['stream'],
  },
  'multi-tensor-copy': {
    name: 'Multi-tensor copy',
    text: 'Copies many tensors as one job: small ones packed together, staging on several threads, the caller free to go on.',
    rules: ['small-copy-latency', 'host-copies-share-memory', 'pageable-copy-holds-host'],
    see: ['staging', 'pin-memory'],
  },
  'non-blocking': {
    name: 'non_blocking=True',
    text: 'Tensor.to(…, non_blocking=True) issues the copy and does not wait for it. From pageable memory the call blocks anyway.',
    rules: ['blocking-to', 'to-cpu-non-blocking', 'pageable-copy-holds-host'],
    see: ['blocking-copy', 'pageable'],
  },
  'non-blocking-stream': {
    name: 'Non-blocking stream',
    text: 'A stream that takes no turns with the legacy default stream. PyTorch’s streams are non-blocking.',
    rules: ['non-blocking-stream'],
    see: ['blocking-stream', 'legacy-default-stream'],
  },
  overlap: {
    name: 'Overlap',
    text: 'Two activities of the device running at the same time. Its share is the time in common over the shorter of the two.',
    rules: ['overlap-needs-pinned', 'streams-may-overlap'],
    see: ['copy-engine', 'stream', 'pinned'],
  },
  pageable: {
    name: 'Pageable memory',
    text: 'Ordinary host memory. The operating system may move or swap its pages, so a copy engine can’t read it directly.',
    rules: ['pageable-copy-holds-host', 'pageable-destination-holds-host', 'small-pageable-copy', 'host-to-host-copy'],
    see: ['pinned', 'staging'],
  },
  'peer-access': {
    name: 'Peer access',
    text: 'Lets one device reach the memory of another directly.',
    rules: ['peer-copy'],
    see: ['d2d', 'link'],
  },
  'per-thread-default-stream': {
    name: 'Per-thread default stream',
    text: 'A default stream of each host thread’s own. It takes its turn with the legacy default stream, and with no other thread’s.',
    rules: ['legacy-default-stream', 'threads-run-apart'],
    see: ['default-stream', 'legacy-default-stream'],
  },
  'pin-memory': {
    name: 'pin_memory()',
    text: 'Copies a tensor into pinned memory, on the calling thread.',
    rules: ['pin-memory-blocks'],
    see: ['pinned', 'staging'],
  },
  managed: {
    name: 'Managed memory',
    text: 'Memory from cudaMallocManaged, which host and device both use (unified memory). Its pages move to the side that touches them, which takes longer than a copy, unless a prefetch moves them before.',
    rules: ['managed-pages'],
    see: ['mapped', 'device-memory'],
  },
  pinned: {
    name: 'Pinned memory',
    text: 'Host memory whose pages stay where they are, so that a copy engine reads it directly. Also called page-locked. There is less of it, and it takes long to allocate.',
    rules: ['overlap-needs-pinned', 'source-in-flight', 'pin-memory-blocks'],
    see: ['pageable', 'pin-memory', 'mapped'],
  },
  priority: {
    name: 'Stream priority',
    text: 'Decides which stream’s waiting kernels get free multiprocessors first. A lower number is more urgent.',
    rules: ['stream-priority'],
    see: ['stream', 'kernel'],
  },
  profile: {
    name: 'Device profile',
    text: 'Measured figures of a machine, which the simulator predicts from.',
    see: ['measured'],
  },
  'record-stream': {
    name: 'record_stream',
    text: 'Informs the caching allocator that another stream uses a tensor, so that its memory is not handed out too early.',
    rules: ['record-stream'],
    see: ['allocator', 'stream'],
  },
  registered: {
    name: 'Registered memory',
    text: 'Ordinary host memory that cudaHostRegister has page-locked afterwards.',
    rules: ['overlap-needs-pinned'],
    see: ['pinned'],
  },
  signal: {
    name: 'Signal',
    text: 'How one host thread lets another go on: a counter that one raises and the other waits for, as a queue does.',
    rules: ['threads-run-apart'],
    see: ['host-thread', 'data-loader'],
  },
  staging: {
    name: 'Staging',
    text: 'Copying pageable data through pinned memory on its way. The driver does it piece by piece; a program can do it with more threads.',
    rules: ['pageable-copy-holds-host', 'host-copies-share-memory'],
    see: ['pageable', 'pin-memory'],
  },
  stream: {
    name: 'Stream',
    text: 'A queue of work for one device, run in the order in which it was issued.',
    rules: ['stream-order', 'streams-may-overlap'],
    see: ['event', 'default-stream', 'non-blocking-stream'],
  },
  'stream-ordered-allocation': {
    name: 'Stream-ordered allocation',
    text: 'cudaMallocAsync and cudaFreeAsync: memory that comes and goes in the order of a stream.',
    rules: ['stream-ordered-allocation', 'allocation-waits'],
    see: ['allocator'],
  },
  synchronise: {
    name: 'Synchronise',
    text: 'To wait on the host until work of a stream, an event or a device has completed.',
    rules: ['synchronize-holds-host', 'launch-blocking'],
    see: ['event', 'item', 'blocking-copy'],
  },
  verdict: {
    name: 'Verdict',
    text: 'Why a copy did, or did not, overlap a kernel: the cause that the trace shows, the rule behind it, and what to change.',
    rules: ['overlap-needs-pinned'],
    see: ['overlap', 'hazard'],
  },
  'wait-stream': {
    name: 'wait_stream',
    text: 'Makes a stream wait for all work issued to another so far: it records an event in the other stream and waits for it.',
    rules: ['event-order'],
    see: ['event', 'stream'],
  },
  'write-combined': {
    name: 'Write-combined memory',
    text: 'Pinned memory that the host writes past its caches. Reading it on the host is very slow.',
    rules: ['overlap-needs-pinned'],
    see: ['pinned'],
  },
} as const satisfies Readonly<Record<string, TermEntry>>;

export type TermId = keyof typeof terms;
