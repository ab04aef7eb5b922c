/** CUDA events: recordEvent, waitEvent, synchronizeEvent, queryEvent, elapsedTime. */
import { z } from 'zod';
import { idSchema } from '../resources.ts';
import { type Descriptor, eventRef, named, recorded, streamRef } from './operation.ts';

const recordEventSchema = z.strictObject({
  ...named('recordEvent'),
  ...recorded,
  event: eventRef,
  stream: streamRef,
});
export const recordEvent: Descriptor<z.infer<typeof recordEventSchema>> = {
  schema: recordEventSchema,
  section: 'In a stream',
  summary: 'cudaEventRecord',
  term: 'event',
  paint: 'mark',
  text: ({ event }) => `record ${event}`,
  make: (maker) => ({ op: 'recordEvent', event: maker.unrecordedEvent(), stream: maker.stream }),
  lower: ({ event }, { op }, scope, stream) => [{ code: 'recordEvent', op, event: scope.event(event), stream }],
};

const waitEventSchema = z.strictObject({ ...named('waitEvent'), ...recorded, event: eventRef, stream: streamRef });
export const waitEvent: Descriptor<z.infer<typeof waitEventSchema>> = {
  schema: waitEventSchema,
  section: 'In a stream',
  title: 'Wait for event',
  summary: 'cudaStreamWaitEvent',
  term: 'wait-stream',
  paint: 'mark',
  text: ({ event }) => `wait for ${event}`,
  make: (maker) => ({ op: 'waitEvent', event: maker.recordedEvent(), stream: maker.stream }),
  onHost: 'synchronizeEvent',
  lower: ({ event }, { op }, scope, stream) => [{ code: 'waitEvent', op, event: scope.event(event), stream }],
};

const synchronizeEventSchema = z.strictObject({ ...named('synchronizeEvent'), event: eventRef });
export const synchronizeEvent: Descriptor<z.infer<typeof synchronizeEventSchema>> = {
  schema: synchronizeEventSchema,
  section: 'Wait on the host',
  summary: 'cudaEventSynchronize',
  term: 'synchronise',
  paint: 'host-sync',
  text: ({ event }) => `synchronize ${event}`,
  make: (maker) => ({ op: 'synchronizeEvent', event: maker.recordedEvent() }),
  inStream: 'waitEvent',
  lower: ({ event }, { op }, scope) => [{ code: 'synchronizeEvent', op, event: scope.event(event) }],
};

const queryEventSchema = z.strictObject({ ...named('queryEvent'), event: eventRef });
export const queryEvent: Descriptor<z.infer<typeof queryEventSchema>> = {
  schema: queryEventSchema,
  section: 'Wait on the host',
  summary: 'cudaEventQuery',
  term: 'event',
  text: ({ event }) => `query ${event}`,
  make: (maker) => ({ op: 'queryEvent', event: maker.recordedEvent() }),
  lower: ({ event }, { op }, scope) => [{ code: 'queryEvent', op, event: scope.event(event) }],
};

const elapsedTimeSchema = z.strictObject({
  ...named('elapsedTime'),
  start: idSchema.describe('First event.'),
  end: idSchema.describe('Second event.'),
});
export const elapsedTime: Descriptor<z.infer<typeof elapsedTimeSchema>> = {
  schema: elapsedTimeSchema,
  section: 'Wait on the host',
  summary: 'cudaEventElapsedTime',
  term: 'event',
  text: ({ start, end }) => `elapsed ${start} to ${end}`,
  make: (maker) => ({ op: 'elapsedTime', ...maker.timedEvents() }),
  lower: ({ start, end }, { op }, scope) => [
    { code: 'elapsedTime', op, start: scope.event(start), end: scope.event(end) },
  ],
};
