/**
 * The used part of Perfetto's trace format: field numbers of its published schema,
 * https://github.com/google/perfetto/tree/main/protos/perfetto/trace. The tests have a .proto file for the reading
 * side, from which protobufjs makes a decoder.
 */

const wireTypes = { varint: 0, fixed64: 1, bytes: 2 } as const;

const tag = (field: number, type: keyof typeof wireTypes): number => field * 8 + wireTypes[type];

export const tags = {
  trace: { packet: tag(1, 'bytes') },
  packet: {
    clockSnapshot: tag(6, 'bytes'),
    timestamp: tag(8, 'varint'),
    sequence: tag(10, 'varint'),
    trackEvent: tag(11, 'bytes'),
    internedData: tag(12, 'bytes'),
    sequenceFlags: tag(13, 'varint'),
    trackDescriptor: tag(60, 'bytes'),
  },
  clockSnapshot: { clock: tag(1, 'bytes') },
  clock: { id: tag(1, 'varint'), timestamp: tag(2, 'varint') },
  internedData: {
    category: tag(1, 'bytes'),
    eventName: tag(2, 'bytes'),
    annotationName: tag(3, 'bytes'),
  },
  interned: { iid: tag(1, 'varint'), name: tag(2, 'bytes') },
  track: {
    uuid: tag(1, 'varint'),
    name: tag(2, 'bytes'),
    process: tag(3, 'bytes'),
    thread: tag(4, 'bytes'),
    parent: tag(5, 'varint'),
    counter: tag(8, 'bytes'),
    childOrdering: tag(11, 'varint'),
    siblingRank: tag(12, 'varint'),
  },
  process: { pid: tag(1, 'varint'), name: tag(6, 'bytes') },
  thread: { pid: tag(1, 'varint'), tid: tag(2, 'varint'), name: tag(5, 'bytes') },
  counter: { unitName: tag(6, 'bytes') },
  event: {
    category: tag(3, 'varint'),
    annotation: tag(4, 'bytes'),
    type: tag(9, 'varint'),
    name: tag(10, 'varint'),
    track: tag(11, 'varint'),
    doubleCounter: tag(44, 'fixed64'),
    flow: tag(47, 'fixed64'),
    endingFlow: tag(48, 'fixed64'),
  },
  annotation: {
    name: tag(1, 'varint'),
    uint: tag(3, 'varint'),
    double: tag(5, 'fixed64'),
    string: tag(6, 'bytes'),
  },
} as const;

export const eventTypes = { begin: 1, end: 2, instant: 3, counter: 4 } as const;
/** TracePacket.SequenceFlags. */
export const sequenceFlags = { cleared: 1, needsState: 2 } as const;
/** TrackDescriptor.ChildTracksOrdering. */
export const explicitOrder = 3;
/** BuiltinClock. */
export const clocks = { realtime: 1, boottime: 6 } as const;
