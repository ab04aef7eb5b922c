/** A frame's memory use is known before it is decoded. */
import { readFileSync } from 'node:fs';
import { encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CopyscopeError } from '../../../core/errors.ts';
import { decodeMessage, encodeMessage } from '../../../core/service/codec.ts';
import { runs } from '../../support/effort.ts';

const attack = new URL('../../fixtures/attack/frame-oom.bin', import.meta.url);
/** Returns a list of `count` entries of these bytes. */
function listOf(count: number, ...entry: number[]): Uint8Array {
  const frame = new Uint8Array(5 + count * entry.length);
  frame.set([0xdd, count >>> 24, (count >>> 16) & 255, (count >>> 8) & 255, count & 255]);
  for (let at = 5; at < frame.length; at += entry.length) frame.set(entry, at);
  return frame;
}

describe('a frame', () => {
  it.each([
    ['25,000 bytes of lists that announce a million entries each', () => readFileSync(attack)],
    ['10 MB of empty lists', () => listOf(10_000_000, 0x90)],
    ['10 MB of empty objects', () => listOf(10_000_000, 0x80)],
    ['10 MB of empty bytes', () => listOf(5_000_000, 0xc4, 0)],
    ['10 MB of small numbers', () => listOf(10_000_000, 1)],
    ['a thousand lists in one another', () => new Uint8Array(1000).fill(0x91)],
    ['a list that announces four billion entries', () => Uint8Array.of(0xdd, 0xff, 0xff, 0xff, 0xff, 1)],
    ['a text that announces four gigabytes', () => Uint8Array.of(0xdb, 0xff, 0xff, 0xff, 0xff, 1)],
    ['an empty frame', () => new Uint8Array()],
    ['two messages', () => Uint8Array.of(1, 2)],
    ['a key that would be taken for the prototype', () => encodeMessage(JSON.parse('[{"__proto__":1}]'))],
  ])('is refused before memory is taken: %s', (_what, make) => {
    const frame = make();
    const before = process.memoryUsage().heapUsed;
    expect(() => decodeMessage(frame)).toThrow(CopyscopeError);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(50e6);
  });

  it('is read if it holds an experiment of 200,000 operations', () => {
    const operation = { op: 'copy', src: 'source', dst: 'target', bytes: 65_536, stream: 'side', label: 'a label' };
    const message = { t: 'q', m: 'startRun', a: [{ operations: Array.from({ length: 200_000 }, () => operation) }] };
    expect(decodeMessage(encodeMessage(message))).toEqual(message);
  });

  it('is read as it was written, whatever it holds', () => {
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.oneof(fc.string({ maxLength: 300 }), fc.double({ noNaN: true }), fc.integer(), fc.boolean()),
        fc.uint8Array({ maxLength: 300 }),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 20 }),
        fc.dictionary(
          fc.string({ maxLength: 40 }).filter((key) => key !== '__proto__'),
          tie('value'),
          { maxKeys: 20 },
        ),
      ),
    })).value;
    fc.assert(
      fc.property(value, (any) => {
        const frame = encode(any);
        expect(encode(decodeMessage(frame))).toEqual(frame);
      }),
      { numRuns: runs(3000) },
    );
  });
});
