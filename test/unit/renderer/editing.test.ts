import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addOperation } from '../../../core/experiment/edit/newOperation.ts';
import { deleteOperations } from '../../../core/experiment/edit/operations.ts';
import { atEndOf, operationPaths } from '../../../core/experiment/edit/paths.ts';
import { emptyExperiment } from '../../../core/experiment/templates/build.ts';
import { DocumentHistory } from '../../../renderer/store/history.ts';

it('the history of a document gives back every moment, whatever was done and undone', () => {
  const actions = fc.array(fc.constantFrom('copy', 'kernel', 'delete', 'undo', 'redo'), { maxLength: 40 });
  fc.assert(
    fc.property(actions, (series) => {
      const first = emptyExperiment();
      const history = new DocumentHistory(first);
      const moments = [JSON.stringify(first)];
      let now = 0;
      for (const action of series) {
        if (action === 'undo') {
          history.undo();
          now = Math.max(0, now - 1);
        } else if (action === 'redo') {
          history.redo();
          now = Math.min(moments.length - 1, now + 1);
        } else {
          const before = history.experiment;
          const { experiment } =
            action === 'delete'
              ? deleteOperations(before, operationPaths(before).slice(0, 1))
              : addOperation(before, action as 'copy' | 'kernel', atEndOf(before, 0), { row: 'host' });
          history.push(action, experiment);
          moments.splice(now + 1, moments.length, JSON.stringify(experiment));
          now += 1;
        }
        expect(JSON.stringify(history.experiment)).toBe(moments[now]);
        expect(history.undoName === null).toBe(now === 0);
        expect(history.redoName === null).toBe(now === moments.length - 1);
        expect(history.dirty).toBe(now !== 0);
      }
    }),
  );
});
