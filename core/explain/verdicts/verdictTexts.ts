/** Names and figures from which a verdict's sentences are made. */

import type { Activity } from '../../trace/iteration.ts';
import { formatDuration } from '../../units.ts';
import { shortKernelName } from '../figures/kernelName.ts';
import { mostValueBytes } from './cost.ts';
import { allTouched, touchedBuffers } from './facts.ts';
import type { Occurrence } from './occurrence.ts';
import type { Scene } from './scene.ts';
import type { Cause } from './verdict.ts';

export interface Words {
  readonly title: string;
  readonly explanation: string;
  readonly remedy: string | null;
}

export type Teller = (texts: VerdictTexts) => Words;

export class VerdictTexts {
  readonly scene: Scene;
  readonly shown: Occurrence;

  constructor(scene: Scene, shown: Occurrence) {
    this.scene = scene;
    this.shown = shown;
  }

  get copy(): Activity {
    return this.shown.copy;
  }

  get copyFirst(): boolean {
    return this.shown.pair?.first === this.copy;
  }

  /** For example 'the kernel "multiply"'. */
  get kernelName(): string {
    const { partner } = this.shown;
    if (partner === null) return 'the kernel';
    return `the ${partner.kernel.kind === 'copy' ? 'copy' : 'kernel'} ${this.label(partner.kernel)}`;
  }

  label(one: Activity): string {
    const name = one.kind === 'kernel' ? shortKernelName(one.name) : one.name;
    return `"${this.scene.facts.label(one.op) ?? name}"`;
  }

  operation(op: number | undefined): string | null {
    const label = op === undefined ? undefined : this.scene.facts.label(op);
    return label === undefined ? null : `"${label}"`;
  }

  /** For example '"launch step" in stream "side"'. */
  launch(op: number | undefined): string | null {
    const [label, operation] = [this.operation(op), this.scene.facts.operation(op ?? -1)];
    return label !== null && operation?.op === 'graphLaunch' ? `${label} in stream "${operation.stream}"` : null;
  }

  stream(one: Activity): string {
    return `"${this.scene.iteration.trace.lanes[one.lane]?.name ?? one.laneId}"`;
  }

  get sameStream(): boolean {
    return this.shown.pair?.first.lane === this.shown.pair?.second.lane;
  }

  /** How to move the copy to another stream than the kernel. Captured copies run where their graph is launched. */
  get ownStream(): string {
    const { capture } = this.scene.facts;
    const graph = capture(this.copy.op);
    if (graph === undefined) return 'Issue the copy in a non-blocking stream of its own';
    return capture(this.shown.partner?.kernel.op ?? -1) === graph
      ? 'Give the copy a branch of its own in the graph: capture it in a second stream, which an event forks off and another one joins again'
      : 'Launch the graph in a non-blocking stream of its own';
  }

  /** Whether the program writes what the copy reads, or reads what it writes, so that a wait may be needed. */
  get usesMemoryAgain(): boolean {
    const { facts } = this.scene;
    const [own, all] = [touchedBuffers(facts.operation(this.copy.op)), allTouched(facts)];
    return own?.reads.some((id) => all.writes.has(id)) === true || own?.writes.some((id) => all.reads.has(id)) === true;
  }

  /** Name of the pageable buffer, or a description. */
  get hostBuffer(): string {
    const touched = touchedBuffers(this.scene.facts.operation(this.copy.op));
    const id = this.copy.src === 'pageable' ? touched?.reads[0] : touched?.writes[0];
    return id === undefined ? 'the host memory' : `"${id}"`;
  }

  /** Whether the copy is an item() call or looks like one: then there is no host memory to pin. */
  get readsOneValue(): boolean {
    const operation = this.scene.facts.operation(this.copy.op);
    const { dst, bytes } = this.copy;
    return operation === undefined ? dst === 'pageable' && bytes <= mostValueBytes : operation.op === 'item';
  }

  /** Mapped memory that a kernel works on. */
  mapped(kernel: Activity): string {
    const { read = null, written = null } = this.scene.facts.mapped(kernel.op) ?? {};
    return [...new Set([read, written])].flatMap((id) => (id === null ? [] : `"${id}"`)).join(' and ');
  }

  /** When the second was issued and started, relative to the end of the first. */
  get timing(): string {
    const { pair } = this.shown;
    if (pair === null) return '';
    const [own, other] = this.#kinds;
    const [first, second] = this.copyFirst ? [own, other] : [other, own];
    const lateBy = pair.second.startNs - pair.first.endNs;
    const start = lateBy >= 0 ? `${formatDuration(lateBy)} after it` : `${formatDuration(-lateBy)} before that`;
    if (pair.issuedNs === null) {
      return `The ${second} started ${lateBy >= 0 ? `${formatDuration(lateBy)} after` : `${formatDuration(-lateBy)} before`} the end of the ${first}.`;
    }
    const early = pair.first.endNs - pair.issuedNs;
    return early > 0
      ? `The host issued the ${second} ${formatDuration(early)} before the ${first} ended; it started ${start}.`
      : `The host issued the ${second} ${formatDuration(-early)} after the ${first} ended; it started ${formatDuration(pair.second.startNs - pair.issuedNs)} later.`;
  }

  /** Name of the one that ran second. */
  get secondName(): string {
    return this.copyFirst ? this.kernelName : 'the copy';
  }

  /** The causes that would still prevent the overlap. */
  get andAlso(): string {
    return this.shown.finding.also.map((cause) => ` ${this.#alsoWords(cause) ?? ''}`).join('');
  }

  get #kinds(): readonly [own: string, other: string] {
    const [own, other] = [this.copy.kind, this.shown.partner?.kernel.kind ?? 'kernel'];
    return [own, own === other ? `other ${other}` : other];
  }

  #alsoWords(cause: Cause): string | undefined {
    const [own, other] = this.#kinds;
    const [first, second] = this.copyFirst ? [own, other] : [other, own];
    if (cause === 'issued-too-late') return `The host also issues the ${second} too late.`;
    if (cause === 'too-small') return `The ${first} is also over before the host can even issue the ${second}.`;
    return alsoWords[cause];
  }
}

const alsoWords: Partial<Record<Cause, string>> = {
  'same-stream': 'Both are also in one stream, which alone orders them.',
  'legacy-default-stream': 'The legacy default stream also orders them.',
  'event-dependency': 'An event wait also orders them.',
  'graph-launches': 'Both also belong to launches of one graph, which wait for each other.',
  'peer-copy-alone': 'A cudaMemcpy between two devices also orders them.',
};

export const nonBlocking = 'Make the blocking stream non-blocking';
export const inParts = 'Copy in parts, so that the kernel works on one part while the next is on its way';
export const readLater =
  'Read the value later: leave it on the device, or copy it into pinned memory without blocking, and read it once an event has been reached.';
export const otherWork = 'The two share data: let the copy overlap other work, or copy in parts.';

/** Capitalizes the start of a sentence. Names of CUDA calls stay as they are. */
export const capital = (text: string): string =>
  text.startsWith('cuda') ? text : text.charAt(0).toUpperCase() + text.slice(1);
export const withThe = (text: string): string => (text.startsWith('the ') ? text : `the ${text}`);
