/** Perfetto packets, one after another in one growing buffer that is handed out in pieces. */
import protobuf from 'protobufjs/minimal.js';
import { eventTypes, sequenceFlags, tags } from './schema.ts';

/** All packets are of one writer, whose tables of names they share. */
const sequence = 1;

export type Writer = protobuf.Writer;

export class Packets {
  readonly #writer = new protobuf.Writer();

  get length(): number {
    return this.#writer.pos;
  }

  /** The bytes so far; the next ones begin anew. */
  take(): Uint8Array {
    const bytes = new Uint8Array(this.#writer.finish(true));
    this.#writer.reset();
    return bytes;
  }

  /** A packet of which `fill` writes the content. */
  packet(fill: (writer: Writer) => void, flags: number = sequenceFlags.needsState): void {
    const writer = this.#writer;
    writer.uint32(tags.trace.packet).fork();
    writer.uint32(tags.packet.sequence).uint32(sequence);
    writer.uint32(tags.packet.sequenceFlags).uint32(flags);
    fill(writer);
    writer.ldelim();
  }

  /** Begins the packet of an event, whose further fields come before end(). */
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

/** A whole number from 0 to 2^53: those of 32 bits go without the detour over two halves. */
export function varint(writer: Writer, tag: number, value: number): void {
  writer.uint32(tag);
  if (value <= 0xffffffff) writer.uint32(value);
  else writer.uint64(value);
}
