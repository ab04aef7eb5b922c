/** What a benchmark measures: every line of its tables, in the order in which they are taken. */
import { formatBytes, GiB, KiB, MiB } from '../units.ts';
import type { BenchSection } from './document.ts';
import type { BenchDirection, BenchMemory, BenchMethod, Measurement, MeasurementKind } from './measurement.ts';

export interface BenchOptions {
  readonly sections: readonly BenchSection[];
  /** Bytes of one copy. */
  readonly sizes: readonly number[];
  /** Samples of each measurement of bandwidth; short ones take ten times as many. */
  readonly samples: number;
}

/** How a figure is read from what was measured. */
export interface FigurePlan {
  readonly name: string;
  readonly from: 'ns' | 'callNs' | 'otherNs' | 'depth';
  /** `rate` is bytes over time; `each` is time over the count of a sample. */
  readonly as: 'rate' | 'time' | 'each' | 'operations';
  /** Share of the sample's bytes that the time is for; all of them where left out. */
  readonly share?: number;
}

export interface BenchItem {
  readonly section: BenchSection;
  readonly row: string;
  /** Empty where the section's columns are the names of the figures. */
  readonly column: string;
  readonly measurement: Measurement;
  readonly figures: readonly FigurePlan[];
  /** Why it isn't measured. */
  readonly waived?: string;
}

export const defaultSizes: readonly number[] = [4 * KiB, 64 * KiB, MiB, 16 * MiB, 256 * MiB, GiB];
export const defaultSamples = 7;

/** A sample moves about this much, so that it lasts long beside the ends of its events. */
const bytesPerSample = 256 * MiB;
/** Fewer than the launch queue takes, so that the host is never held at the closed gate. */
const mostCopies = 256;
const largestLatency = MiB;
const smallTensors = 1000;
const smallBytes = 4 * KiB;
const launchesPerSample = 500;
const relayTensors = 100;
const relayTensorBytes = 4_000_000;

export function benchPlan(options: BenchOptions, devices: number): BenchItem[] {
  const makers: Readonly<Record<BenchSection, () => BenchItem[]>> = {
    copies: () => copies(options),
    latency: () => latency(options),
    device: () => deviceCopies(options),
    bidirectional: () => bidirectional(options),
    peer: () => peers(options, devices),
    links: () => links(options, devices),
    small: () => smallCopies(options),
    launch: () => launches(options),
    queue: () => queues(options),
    submit: () => submit(options),
  };
  return options.sections.flatMap((section) => makers[section]());
}

const standard: Measurement = {
  kind: 'copy',
  direction: 'h2d',
  memory: 'pinned',
  method: 'loop',
  device: 0,
  peer: 0,
  peerAccess: false,
  bytes: 4 * KiB,
  capacity: 0,
  count: 1,
  samples: defaultSamples,
  warmups: 2,
};

const measure = (kind: MeasurementKind, changes: Partial<Measurement>): Measurement => ({
  ...standard,
  kind,
  ...changes,
});

export const copiesPerSample = (bytes: number): number =>
  Math.min(mostCopies, Math.max(4, Math.ceil(bytesPerSample / bytes)));

const largest = ({ sizes }: BenchOptions): number => Math.max(...sizes);
const upper = (direction: BenchDirection): string => direction.toUpperCase();
const hostDirections = ['h2d', 'd2h'] as const;
const bandwidth: FigurePlan = { name: 'bandwidth', from: 'ns', as: 'rate' };

function copies(options: BenchOptions): BenchItem[] {
  const memories: readonly BenchMemory[] = ['pinned', 'pageable', 'write-combined', 'mapped'];
  const kinds = memories.flatMap((memory) => hostDirections.map((direction) => ({ memory, direction })));
  return kinds.flatMap(({ memory, direction }) =>
    options.sizes.map((bytes) => ({
      section: 'copies' as const,
      row: formatBytes(bytes),
      column: `${upper(direction)} ${memory}`,
      measurement: measure('copy', {
        memory,
        direction,
        bytes,
        capacity: largest(options),
        // Pageable copies hold the host one by one, so a queue has no bound on them, and they are slow.
        count: memory === 'pageable' ? Math.ceil(copiesPerSample(bytes) / 4) : copiesPerSample(bytes),
        samples: options.samples,
      }),
      figures: [bandwidth, { name: 'call', from: 'callNs', as: 'time' }],
    })),
  );
}

function latency(options: BenchOptions): BenchItem[] {
  const sizes = options.sizes.filter((bytes) => bytes <= largestLatency);
  const kinds = (['pinned', 'pageable', 'mapped'] as const).flatMap((memory) =>
    hostDirections.map((direction) => ({ memory, direction })),
  );
  return kinds.flatMap(({ memory, direction }) =>
    sizes.map((bytes) => ({
      section: 'latency' as const,
      row: formatBytes(bytes),
      column: `${upper(direction)} ${memory}`,
      measurement: measure('latency', { memory, direction, bytes, samples: options.samples * 10, warmups: 10 }),
      figures: [
        { name: 'call and synchronise', from: 'ns', as: 'time' },
        { name: 'call', from: 'callNs', as: 'time' },
      ],
    })),
  );
}

function deviceCopies(options: BenchOptions): BenchItem[] {
  const ways = [
    { column: 'cudaMemcpyAsync', memory: 'pinned' },
    { column: 'kernel', memory: 'mapped' },
  ] as const;
  return ways.flatMap(({ column, memory }) =>
    options.sizes.map((bytes) => ({
      section: 'device' as const,
      row: formatBytes(bytes),
      column,
      measurement: measure('copy', {
        direction: 'd2d',
        memory,
        bytes,
        capacity: largest(options),
        count: copiesPerSample(bytes),
        samples: options.samples,
      }),
      figures: [bandwidth],
    })),
  );
}

function bidirectional(options: BenchOptions): BenchItem[] {
  return options.sizes.map((bytes) => ({
    section: 'bidirectional' as const,
    row: formatBytes(bytes),
    column: '',
    measurement: measure('bidirectional', {
      bytes,
      capacity: largest(options),
      count: copiesPerSample(bytes),
      samples: options.samples,
    }),
    figures: [
      { name: 'both', from: 'ns', as: 'rate' },
      { name: 'H2D', from: 'callNs', as: 'rate', share: 0.5 },
      { name: 'D2H', from: 'otherNs', as: 'rate', share: 0.5 },
    ],
  }));
}

function peers(options: BenchOptions, devices: number): BenchItem[] {
  const bytes = Math.min(largest(options), 256 * MiB);
  const item = (device: number, peer: number, peerAccess: boolean): BenchItem => ({
    section: 'peer',
    row: `cuda:${device}${peerAccess ? '' : ', no peer access'}`,
    column: `to cuda:${peer}`,
    measurement: measure('peer', { device, peer, peerAccess, bytes, count: 8, samples: options.samples }),
    figures: [bandwidth],
  });
  if (devices < 2) return [{ ...item(0, 1, true), waived: 'there is one device, and peer copies need two' }];
  const indices = Array.from({ length: devices }, (_, index) => index);
  return indices.flatMap((device) =>
    [true, false].flatMap((access) =>
      indices.filter((peer) => peer !== device).map((peer) => item(device, peer, access)),
    ),
  );
}

/** What the links of two devices give together, which is less where they share one; and one payload over both. */
function links(options: BenchOptions, devices: number): BenchItem[] {
  const bytes = Math.min(largest(options), 256 * MiB);
  const both = (device: number, peer: number, direction: BenchDirection): BenchItem => ({
    section: 'links',
    row: `${upper(direction)} cuda:${device} and cuda:${peer}, pinned`,
    column: '',
    measurement: measure('links', { direction, device, peer, bytes, count: 4, samples: options.samples }),
    figures: [
      { name: 'at once', from: 'ns', as: 'rate' },
      { name: 'the first alone', from: 'callNs', as: 'rate', share: 0.5 },
      { name: 'the second alone', from: 'otherNs', as: 'rate', share: 0.5 },
    ],
  });
  const relayed = (peer: number, direction: BenchDirection): BenchItem => ({
    section: 'links',
    row: `${upper(direction)} cuda:0 through cuda:${peer}, ${relayTensors} x 4 MB pageable`,
    column: '',
    measurement: measure('relay', {
      direction,
      memory: 'pageable',
      peer,
      peerAccess: true,
      bytes: relayTensorBytes,
      count: relayTensors,
      samples: options.samples,
    }),
    figures: [
      { name: 'with relay', from: 'ns', as: 'rate' },
      { name: 'without', from: 'callNs', as: 'rate' },
    ],
  });
  if (devices < 2) return [{ ...both(0, 1, 'h2d'), waived: 'there is one device, and this needs the links of two' }];
  const indices = Array.from({ length: devices }, (_, index) => index);
  const pairs = indices.flatMap((device) => indices.slice(device + 1).map((peer) => [device, peer] as const));
  return hostDirections.flatMap((direction) => [
    ...pairs.map(([device, peer]) => both(device, peer, direction)),
    ...indices.slice(1).map((peer) => relayed(peer, direction)),
  ]);
}

function smallCopies(options: BenchOptions): BenchItem[] {
  const methods: Readonly<Record<BenchMethod, string>> = {
    loop: 'loop, one synchronise',
    'blocking-loop': 'loop, a synchronise each',
    packed: 'packed on the host, one copy',
    graph: 'graph of the loop',
  };
  return (Object.keys(methods) as BenchMethod[]).map((method) => ({
    section: 'small' as const,
    row: methods[method],
    column: '',
    measurement: measure('small-copies', {
      method,
      bytes: smallBytes,
      count: smallTensors,
      samples: options.samples * 3,
      warmups: 3,
    }),
    figures: [
      { name: `${smallTensors} tensors of ${formatBytes(smallBytes)}`, from: 'ns', as: 'time' },
      { name: 'host held', from: 'callNs', as: 'time' },
      { name: 'bandwidth', from: 'ns', as: 'rate' },
    ],
  }));
}

function launches(options: BenchOptions): BenchItem[] {
  const item = (row: string, method: BenchMethod): BenchItem => ({
    section: 'launch',
    row,
    column: '',
    measurement: measure('launches', { method, count: launchesPerSample, samples: options.samples * 3 }),
    figures: [
      { name: 'host, each', from: 'callNs', as: 'time' },
      { name: 'device, each', from: 'ns', as: 'each' },
      { name: 'one, with its synchronise', from: 'otherNs', as: 'time' },
    ],
  });
  return [item('empty kernel', 'loop'), item(`graph of ${launchesPerSample} empty kernels, a kernel`, 'graph')];
}

function queues(_: BenchOptions): BenchItem[] {
  const item = (row: string, method: BenchMethod): BenchItem => ({
    section: 'queue',
    row,
    column: '',
    measurement: measure('queue-depth', { method, samples: 3 }),
    figures: [{ name: 'taken before the host is held', from: 'depth', as: 'operations' }],
  });
  return [item('empty kernels', 'loop'), item('H2D copies of 4 KiB, pinned', 'packed')];
}

function submit(options: BenchOptions): BenchItem[] {
  return [
    {
      section: 'submit',
      row: `${smallTensors} asynchronous copies of ${formatBytes(smallBytes)}`,
      column: '',
      measurement: measure('submit', {
        bytes: smallBytes,
        count: smallTensors,
        samples: options.samples * 5,
        warmups: 5,
      }),
      figures: [
        { name: 'executor, a copy', from: 'ns', as: 'each' },
        { name: 'loop by hand, a copy', from: 'callNs', as: 'each' },
      ],
    },
  ];
}
