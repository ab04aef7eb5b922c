/** A worker has the window's document after any edits, and one that has another revision asks for the whole. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DocumentReceiver, DocumentSender, type SentDocument } from '../../../renderer/common/sentDocument.ts';
import { edits, momentsOf } from '../support/edits.ts';
import { experimentOf } from '../support/experiments.ts';

const work = (durationNs: number) => ({ op: 'work', durationNs }) as const;
const document = experimentOf({}, [work(1), work(2), work(3)], [work(4), work(5)]);
const [, changed, again] = momentsOf(document, [
  { kind: 'duplicate', at: 1, to: 0 },
  { kind: 'delete', at: 0, to: 0 },
]);
if (changed === undefined || again === undefined) throw new Error('these edits can be made');

/** As a message crosses. */
const crossed = (sent: SentDocument): SentDocument => structuredClone(sent);
const isWhole = (sent: SentDocument): boolean => 'text' in sent;

describe('a document that is sent to a worker', () => {
  it('is there what it is here, after any edits', () => {
    fc.assert(
      fc.property(edits, (steps) => {
        const [sender, receiver] = [new DocumentSender(), new DocumentReceiver()];
        for (const moment of momentsOf(document, steps)) {
          expect(receiver.receive(crossed(sender.send(moment)))).toEqual(moment);
        }
      }),
    );
  });

  it('is sent whole once, and then what differs', () => {
    const sender = new DocumentSender();
    expect([document, changed, changed, again].map((moment) => isWhole(sender.send(moment)))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('stays the same object there while it is the same here', () => {
    const [sender, receiver] = [new DocumentSender(), new DocumentReceiver()];
    const first = receiver.receive(crossed(sender.send(document)));
    expect(receiver.receive(crossed(sender.send(document)))).toBe(first);
  });

  it('is sent whole where it is another one', () => {
    const sender = new DocumentSender();
    sender.send(document);
    expect(isWhole(sender.send(experimentOf({}, [work(1), work(2), work(3)], [work(4), work(5)])))).toBe(true);
  });

  it('is refused by a worker that has another revision, until it comes whole', () => {
    const [sender, receiver] = [new DocumentSender(), new DocumentReceiver()];
    receiver.receive(crossed(sender.send(document)));
    // This one is lost.
    sender.send(changed);
    const late = crossed(sender.send(again));
    expect(isWhole(late)).toBe(false);
    expect(receiver.receive(late)).toBeNull();
    expect(receiver.receive(crossed(sender.send(changed)))).toBeNull();
    sender.forget();
    const whole = crossed(sender.send(again));
    expect(isWhole(whole)).toBe(true);
    expect(receiver.receive(whole)).toEqual(again);
    expect(receiver.receive(crossed(sender.send(changed)))).toEqual(changed);
  });

  it('is refused by a worker that has none', () => {
    const sender = new DocumentSender();
    sender.send(document);
    expect(new DocumentReceiver().receive(crossed(sender.send(changed)))).toBeNull();
  });
});
