/** Random operations, as properties of any program draw them, with the streams, events and sizes that a test has. */
import fc from 'fast-check';

interface CopyChoices {
  readonly stream: fc.Arbitrary<string>;
  readonly bytes: fc.Arbitrary<number>;
  readonly mode: fc.Arbitrary<string>;
}

/** A copy from any of the buffers `src` to any of `dst`. */
export const copies = (src: readonly string[], dst: readonly string[], choices: CopyChoices) =>
  fc.record({ op: fc.constant('copy'), src: fc.constantFrom(...src), dst: fc.constantFrom(...dst), ...choices });

interface EventChoices {
  readonly stream: fc.Arbitrary<string>;
  readonly event: fc.Arbitrary<string>;
}

/** A record of an event, or a wait for one. */
export const eventOperations = (choices: EventChoices) =>
  fc.record({ op: fc.constantFrom('recordEvent', 'waitEvent'), ...choices });
