/** Programs that need more than a machine has, or that never end by themselves: Ctrl-C must end each. */
import type { ExperimentInput } from '../../core/experiment/experiment.ts';

type Threads = ExperimentInput['threads'];
type Operations = Threads[number]['operations'];

const document = (
  name: string,
  operations: Operations,
  more: Partial<Omit<ExperimentInput, 'name'>> = {},
): ExperimentInput => ({
  format: 'copyscope/experiment',
  version: 2,
  name,
  environment: { iterations: 1, warmups: 0 },
  devices: [{ id: 'gpu', index: 0 }],
  threads: [{ id: 'main', operations }],
  ...more,
});

const TiB = 2 ** 40;
const tenMinutes = 600e9;
const copies: Operations = [{ op: 'copy', src: 'host', dst: 'device', mode: 'async' }, { op: 'synchronizeDevice' }];

const buffers = (memory: 'pinned' | 'pageable', hostBytes: number, deviceBytes: number): Partial<ExperimentInput> => ({
  buffers: [
    { id: 'host', memory, bytes: hostBytes },
    { id: 'device', memory: 'device', bytes: deviceBytes },
  ],
});

/** Programs that are refused, since no machine has so much. */
export const tooLarge: readonly ExperimentInput[] = [
  document('pageable memory', copies, buffers('pageable', TiB, TiB)),
  document('pinned memory', copies, buffers('pinned', TiB, 64)),
  document('device memory', copies, buffers('pinned', 64, TiB)),
];

const numbered = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`);
const threadNames = numbered(64, 't');
const streamNames = numbered(1024, 's');
const onDevice: Partial<ExperimentInput> = buffers('pinned', 4096, 4096);

/** Programs that run for minutes, or forever. */
export const endless: readonly ExperimentInput[] = [
  document('a wait for what comes after ten minutes', [], {
    signals: [{ id: 'never' }],
    threads: [
      { id: 'waits', operations: [{ op: 'waitSignal', signal: 'never' }] },
      {
        id: 'comes',
        operations: [
          { op: 'work', durationNs: tenMinutes },
          { op: 'signal', signal: 'never' },
        ],
      },
    ],
  }),
  document('a kernel of ten minutes, waited for', [
    { op: 'kernel', kernel: { kind: 'spin', durationNs: tenMinutes } },
    { op: 'synchronizeDevice' },
  ]),
  document('64 threads that copy for ever', [], {
    ...onDevice,
    environment: { iterations: 1, warmups: 1000 },
    threads: threadNames.map((id) => ({
      id,
      operations: [{ op: 'repeat', count: 20_000, operations: [{ op: 'copy', src: 'host', dst: 'device' }] }],
    })),
  }),
  document(
    '1,024 streams with a kernel of ten minutes each',
    [
      ...streamNames.map(
        (stream) => ({ op: 'kernel', kernel: { kind: 'spin', durationNs: tenMinutes }, stream }) as const,
      ),
      { op: 'synchronizeDevice' },
    ],
    { streams: streamNames.map((id) => ({ id, flags: 'non-blocking' as const })) },
  ),
  document(
    '200,000 operations',
    Array.from({ length: 200_000 }, (_, at) => ({
      op: 'copy' as const,
      src: 'host',
      dst: 'device',
      mode: 'async' as const,
      stream: `s${at % 16}`,
    })),
    {
      ...onDevice,
      environment: { iterations: 1, warmups: 1000 },
      streams: streamNames.slice(0, 16).map((id) => ({ id, flags: 'non-blocking' as const })),
    },
  ),
];
