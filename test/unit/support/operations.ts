/** Random operations for properties of programs, with a test's streams, events and sizes. */
import fc from 'fast-check';

interface CopyChoices {
  readonly stream: fc.Arbitrary<string>;
  readonly bytes: fc.Arbitrary<number>;
  readonly mode: fc.Arbitrary<string>;
}

/** Returns copies from any of the buffers `src` to any of `dst`. */
export const copies = (src: readonly string[], dst: readonly string[], choices: CopyChoices) =>
  fc.record({ op: fc.constant('copy'), src: fc.constantFrom(...src), dst: fc.constantFrom(...dst), ...choices });

interface EventChoices {
  readonly stream: fc.Arbitrary<string>;
  readonly event: fc.Arbitrary<string>;
}

/** Returns a record of an event, or a wait for one. */
export const eventOperations = (choices: EventChoices) =>
  fc.record({ op: fc.constantFrom('recordEvent', 'waitEvent'), ...choices });
