import { describe, expect, it } from 'vitest';
import { CopyscopeError } from '../../../core/errors.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { lower } from '../../../core/program/lower.ts';

type Operations = readonly object[];

/** Returns the first problem of a program; null if it has none. */
function problem(operations: Operations | Operations[], more: object = {}): string | null {
  const threads = Array.isArray(operations[0]) ? (operations as Operations[]) : [operations as Operations];
  const experiment = requireExperiment({
    format: 'copyscope/experiment',
    version: 1,
    name: 'checks',
    devices: [{ id: 'gpu' }, { id: 'gpu1', index: 1 }],
    buffers: [
      { id: 'pageable', memory: 'pageable', bytes: 64 },
      { id: 'pinned', memory: 'pinned', bytes: 64 },
      { id: 'device', memory: 'device', bytes: 64 },
      { id: 'device1', memory: 'device', device: 'gpu1', bytes: 64 },
      { id: 'made', memory: 'device', bytes: 64, allocated: 'by-operation' },
      { id: 'madePinned', memory: 'pinned', bytes: 64, allocated: 'by-operation' },
    ],
    streams: [{ id: 's' }, { id: 't' }, { id: 'far', device: 'gpu1' }],
    events: [{ id: 'e' }, { id: 'f' }, { id: 'untimed', timing: false }],
    signals: [{ id: 'ready' }],
    threads: threads.map((list, index) => ({ id: `t${index}`, operations: list })),
    ...more,
  });
  try {
    lower(experiment);
    return null;
  } catch (error) {
    if (!(error instanceof CopyscopeError)) throw error;
    expect(error.code).toBe('experiment.invalid');
    expect(error.field).not.toBe(undefined);
    expect(error.remedy).not.toBe('');
    return `${error.field}: ${error.message}`;
  }
}

const memset = (buffer: string, stream = 's') => ({ op: 'memset', buffer, stream });
const allocate = (buffer = 'made', more: object = {}) => ({ op: 'allocate', buffer, stream: 's', ...more });
const free = (buffer = 'made') => ({ op: 'free', buffer, stream: 's' });
const repeat = (...operations: object[]) => ({ op: 'repeat', count: 2, operations });
const capture = (...operations: object[]) => ({ op: 'graphCapture', graph: 'g', stream: 's', operations });
const launch = { op: 'graphLaunch', graph: 'g', stream: 't' };
const record = (event: string, stream: string) => ({ op: 'recordEvent', event, stream });
const wait = (event: string, stream: string) => ({ op: 'waitEvent', event, stream });

describe('buffers made by operations', () => {
  it.each([
    ['allocated, used and freed', [allocate(), memset('made'), free()]],
    ['allocated again after being freed', [allocate(), free(), allocate(), memset('made')]],
    ['allocated and freed in each round', [repeat(allocate(), memset('made'), free())]],
    ['never freed', [allocate(), memset('made')]],
    [
      'pinned into',
      [
        { op: 'pin', src: 'pageable', dst: 'madePinned' },
        { op: 'read', buffer: 'madePinned' },
      ],
    ],
    ['used by a graph after being allocated', [allocate(), capture(memset('made')), launch, free()]],
  ])('may be %s', (_, operations) => {
    expect(problem(operations)).toBe(null);
  });

  it.each([
    ['used before being allocated', [memset('made'), allocate()], '[0]: "made" is used before it is allocated'],
    ['never allocated', [memset('made')], '[0]: "made" is used before it is allocated'],
    ['freed before being allocated', [free(), allocate()], '[0]: "made" is freed before it is allocated'],
    ['freed twice', [allocate(), free(), free()], '[2]: "made" is freed twice'],
    ['used after being freed', [allocate(), free(), memset('made')], '[2]: "made" is used after it is freed'],
    ['allocated twice', [allocate(), allocate()], '[1]: "made" is allocated already'],
    ['allocated in each round, never freed', [repeat(allocate())], '[0].operations[0]: "made" is allocated already'],
    [
      'freed in each round, allocated in none',
      [allocate(), repeat(memset('made'), free())],
      '[1].operations[0]: "made" is used after it is freed',
    ],
    [
      'used by a graph that is launched after it was freed',
      [allocate(), capture(memset('made')), free(), launch],
      '[3]: "made" is used after it is freed',
    ],
    [
      'named by a kernel too early',
      [{ op: 'kernel', kernel: { kind: 'spin', durationNs: 1 }, reads: ['made'], stream: 's' }],
      '[0]: "made" is used before it is allocated',
    ],
    ['said to exist already', [allocate('device')], '[0]: "device" exists before the run'],
    [
      'of two allocators',
      [allocate(), free(), allocate('made', { allocator: 'pool' })],
      '[2]: "made" is allocated by caching elsewhere',
    ],
    ['host memory from a pool', [allocate('madePinned', { allocator: 'pool' })], '[0]: a stream-ordered pool'],
  ])('may not be %s', (_, operations, message) => {
    expect(problem(operations)).toContain(`threads[0].operations${message}`);
  });

  it('buffers of another thread need only be allocated somewhere', () => {
    const handOver = (more: Operations) => [
      [allocate(), { op: 'signal', signal: 'ready' }],
      [{ op: 'waitSignal', signal: 'ready' }, memset('made'), ...more],
    ];
    expect(problem(handOver([free()]))).toBe(null);
    expect(problem([[memset('made')], [memset('made')]])).toContain('nothing allocates "made"');
  });
});

describe('graphs', () => {
  it.each([
    ['work of one stream', [capture(memset('device')), launch]],
    [
      'a fork to another stream, joined again',
      [capture(record('e', 's'), wait('e', 't'), memset('device', 't'), record('f', 't'), wait('f', 's')), launch],
    ],
    ['what the host does meanwhile', [capture({ op: 'work', durationNs: 1 }, repeat(memset('device'))), launch]],
  ])('take in %s', (_, operations) => {
    expect(problem(operations)).toBe(null);
  });

  it.each([
    ['a synchronise', { op: 'synchronizeStream', stream: 's' }],
    ['a device synchronise', { op: 'synchronizeDevice' }],
    ['a query', { op: 'queryStream', stream: 's' }],
    ['item()', { op: 'item', buffer: 'device', stream: 's' }],
    ['a blocking copy', { op: 'copy', src: 'pinned', dst: 'device', stream: 's', mode: 'blocking-to' }],
    ['cudaMemcpy', { op: 'copy', src: 'pinned', dst: 'device', mode: 'blocking-memcpy' }],
    ['another capture', capture(memset('device'))],
    ['a launch', launch],
    ['an allocation', allocate()],
    ['pin_memory()', { op: 'pin', src: 'pageable', dst: 'pinned' }],
    ['a multi-tensor copy', { op: 'multiCopy', payload: { tensors: 1, bytes: 8 }, stream: 's' }],
    ['work of a stream that takes no part', memset('device', 't')],
    ['a wait for an event from outside', wait('e', 's')],
  ])('refuse %s', (_, operation) => {
    expect(problem([capture(operation)])).toContain('threads[0].operations[0].operations[0]: ');
  });

  it('must be joined before the capture ends', () => {
    const forked = capture(record('e', 's'), wait('e', 't'), memset('device', 't'));
    expect(problem([forked, launch])).toContain('stream "t" was taken into the capture and isn\'t joined');
    const later = capture(record('e', 's'), wait('e', 't'), record('f', 't'), wait('f', 's'), memset('device', 't'));
    expect(problem([later, launch])).toContain("isn't joined");
  });

  it('can not be made of the legacy default stream', () => {
    expect(problem([{ ...capture(memset('device', 'legacy')), stream: 'legacy' }])).toContain('legacy default stream');
  });

  it('must be captured before they are launched', () => {
    expect(problem([launch])).toContain('which nothing captures');
    expect(problem([launch, capture(memset('device'))])).toContain('before it is captured');
    expect(problem([[capture(memset('device'))], [launch]])).toBe(null);
  });

  it('keep their events to themselves', () => {
    const recorded = capture(record('e', 's'));
    expect(problem([recorded, { op: 'synchronizeEvent', event: 'e' }])).toContain('uses event "e"');
  });
});

describe('memory', () => {
  it.each([
    ['the host writing device memory', { op: 'write', buffer: 'device', pattern: { kind: 'index' } }],
    ['the host reading device memory', { op: 'read', buffer: 'device' }],
    ['a memset of pageable memory', memset('pageable')],
    ['item() of host memory', { op: 'item', buffer: 'pinned' }],
    ['pinning into pageable memory', { op: 'pin', src: 'pinned', dst: 'pageable' }],
    ['pinning device memory', { op: 'pin', src: 'device', dst: 'pinned' }],
    [
      'a kernel on pageable memory',
      { op: 'kernel', kernel: { kind: 'stream' }, reads: ['pageable'], writes: ['device'] },
    ],
    ['a memset from another device', memset('device', 'far')],
  ])('%s is refused', (_, operation) => {
    expect(problem([operation])).toContain('threads[0].operations[0]: ');
  });

  it('memory of another device can be reached with peer access', () => {
    expect(problem([memset('device', 'far')], { environment: { peerAccess: true } })).toBe(null);
  });
});

describe('devices', () => {
  it('count among the visible ones', () => {
    expect(problem([], { environment: { visibleDevices: [3, 1] } })).toBe(null);
    expect(problem([], { environment: { visibleDevices: [3] } })).toContain('devices[1].index: only 1 devices');
    expect(problem([], { environment: { visibleDevices: [3, 3] } })).toContain('environment.visibleDevices[1]');
  });

  it('are declared once', () => {
    expect(problem([], { devices: [{ id: 'gpu' }, { id: 'gpu1' }] })).toContain('devices[1].index: "gpu" is cuda:0');
  });

  it('own their events', () => {
    expect(problem([record('e', 's'), record('e', 'far')])).toContain('two devices');
    const times = [record('e', 's'), record('f', 'far'), { op: 'elapsedTime', start: 'e', end: 'f' }];
    expect(problem(times)).toContain('different devices');
    expect(problem([{ op: 'elapsedTime', start: 'untimed', end: 'e' }])).toContain('without timing');
  });
});
