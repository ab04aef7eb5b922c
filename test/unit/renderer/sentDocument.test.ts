/** A worker has the window's document after any edits. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { receivedDocument, type SentDocument, sentDocument } from '../../../renderer/common/sentDocument.ts';
import { edits, momentsOf } from '../support/edits.ts';
import { experimentOf } from '../support/experiments.ts';

const work = (durationNs: number) => ({ op: 'work', durationNs }) as const;
const document = experimentOf({}, [work(1), work(2), work(3)], [work(4), work(5)]);
const [, changed] = momentsOf(document, [{ kind: 'duplicate', at: 1, to: 0 }]);
if (changed === undefined) throw new Error('this edit can be made');

/** Copies a document like a message. */
const crossed = (sent: SentDocument): SentDocument => structuredClone(sent);

it('a worker has the document that was sent to it, after any edits', () => {
  fc.assert(
    fc.property(edits, (steps) => {
      let [here, there]: (Experiment | null)[] = [null, null];
      for (const moment of momentsOf(document, steps)) {
        there = receivedDocument(there ?? null, crossed(sentDocument(here ?? null, moment)));
        expect(there).toEqual(moment);
        here = moment;
      }
    }),
  );
});
