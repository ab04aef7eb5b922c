/** Writes Perfetto packets into a growing buffer that is yielded in pieces. */
import protobuf from 'protobufjs/minimal.js';
import { eventTypes, sequenceFlags, tags } from './schema.ts';

/** All packets have one writer and so share its tables of names. */
const sequence = 1;

export type Writer = protobuf.Writer;

export class Packets {
  readonly #writer = new protobuf.Writer();

  get length(): number {
    return this.#writer.pos;
  }

  /** Returns the bytes so far, and starts an empty buffer. */
  take(): Uint8Array {
    const bytes = new Uint8Array(this.#writer.finish(true));
    this.#writer.reset();
    return bytes;
  }

  /** Adds a packet with content from `fill`. */
  packet(fill: (writer: Writer) => void, flags: number = sequenceFlags.needsState): void {
    const writer = this.#writer;
    writer.uint32(tags.trace.packet).fork();
    writer.uint32(tags.packet.sequence).uint32(sequence);
    writer.uint32(tags.packet.sequenceFlags).uint32(flags);
    fill(writer);
    writer.ldelim();
  }

  /** Begins the packet of an event. Its other fields come before end(). */
  begin(timeNs: number, type: keyof typeof eventTypes, track: number): Writer {
    const writer = this.#writer;
    writer.uint32(tags.trace.packet).fork();
    writer.uint32(tags.packet.sequence).uint32(sequence);
    writer.uint32(tags.packet.sequenceFlags).uint32(sequenceFlags.needsState);
    varint(writer, tags.packet.timestamp, timeNs);
    writer.uint32(tags.packet.trackEvent).fork();
    writer.uint32(tags.event.type).uint32(eventTypes[type]);
    return writer.uint32(tags.event.track).uint32(track);
  }

  end(): void {
    this.#writer.ldelim().ldelim();
  }
}

/** Writes a whole number from 0 to 2^53. Numbers of 32 bits need no split into halves. */
export function varint(writer: Writer, tag: number, value: number): void {
  writer.uint32(tag);
  if (value <= 0xffffffff) writer.uint32(value);
  else writer.uint64(value);
}
