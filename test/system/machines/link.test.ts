/** Messages between two sides whose line drops, at any byte: nothing is lost, twice or out of order. */
import { createHash } from 'node:crypto';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Line, Link } from '../../../host/machines/link.ts';
import { encodeLinkMessage } from '../../../host/machines/linkCodec.ts';

interface Wire {
  readonly a: Line;
  readonly b: Line;
  cut(): void;
}

/** Two ends of a line; where `bytes` is given, it is cut after so many from a to b. */
function wire(bytes = Number.POSITIVE_INFINITY): Wire {
  const [toB, fromA, toA] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const cut = (): void => {
    for (const stream of [toB, fromA, toA]) stream.destroy();
  };
  let left = bytes;
  fromA.on('data', (piece: Buffer) => {
    toB.write(piece.subarray(0, Math.max(0, left)));
    left -= piece.byteLength;
    if (left <= 0) setImmediate(cut);
  });
  return { a: { input: toA, output: fromA, close: cut }, b: { input: toB, output: toA, close: cut }, cut };
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

const digest = (message: unknown): string => createHash('sha256').update(encodeLinkMessage(message)).digest('hex');

describe('the link', () => {
  it('brings every message once and in order, wherever its lines are cut', async () => {
    const message = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.record({ file: fc.uint8Array({ maxLength: 3000 }) }),
      fc.integer({ min: 1, max: 200_000 }).map((length) => ({ file: new Uint8Array(length).fill(length % 251) })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { minLength: 1, maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 100_000 }), { maxLength: 6 }),
        async (messages, cuts) => {
          const received: unknown[] = [];
          const a = new Link({ onMessage: () => {} });
          const b = new Link({ onMessage: (one) => received.push(one) });
          for (const one of messages) a.send(one);
          for (const cut of cuts) {
            const { a: lineA, b: lineB } = wire(cut);
            a.attach(lineA);
            b.attach(lineB);
            await turns(6);
          }
          const last = wire();
          a.attach(last.a);
          b.attach(last.b);
          await a.delivered();
          expect(received.map(digest)).toEqual(messages.map(digest));
          expect(a.isDelivered).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('leaves a line on which something else is said', async () => {
    const told: string[] = [];
    const link = new Link({ onMessage: () => told.push('message'), onDown: () => told.push('down') });
    const line = wire();
    link.attach(line.a);
    line.a.input.push(Buffer.from('Last login: Mon Nov 23 on pts/1\r\n'));
    await turns(3);
    expect(told).toEqual(['down']);
  });
});
