import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addOperation } from '../../../core/experiment/edit/newOperation.ts';
import { deleteOperations, groupOperations } from '../../../core/experiment/edit/operations.ts';
import { atEndOf, operationPaths } from '../../../core/experiment/edit/paths.ts';
import { emptyExperiment } from '../../../core/experiment/templates/empty.ts';
import { strategyB } from '../../../core/experiment/templates/strategies.ts';
import { prefetchLoop } from '../../../core/experiment/templates/training.ts';
import { placeOfCell } from '../../../renderer/score/cells.ts';
import { matches, operationSections } from '../../../renderer/score/operationTexts.ts';
import { scoreLayout } from '../../../renderer/score/scoreLayout.ts';
import { DocumentHistory } from '../../../renderer/store/history.ts';

describe('the history of a document', () => {
  it('gives back every moment, whatever was done and undone', () => {
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

  it('gives what was selected on both sides of a step', () => {
    const history = new DocumentHistory(emptyExperiment());
    const selection = { before: null, after: { kind: 'op', id: 'copy3' } } as const;
    history.push('Edit', strategyB(), { selection });
    history.push('Rename', prefetchLoop());
    expect(history.undo()).toBeNull();
    expect(history.undo()).toEqual(selection);
    expect(history.redo()).toEqual(selection);
  });

  it('knows what was before the remedies that came last, whatever it is called, until it is edited', () => {
    const [before, once, twice] = [emptyExperiment(), strategyB(), prefetchLoop()];
    const history = new DocumentHistory(before);
    expect(history.beforeRemedy).toBeNull();
    history.push('Remedy', once, { isRemedy: true });
    history.push('Rename', { ...once, name: 'Mended' });
    expect(history.beforeRemedy).toBe(before);
    history.push('Another remedy', twice, { isRemedy: true });
    expect(history.beforeRemedy).toBe(before);
    history.push('Edit', { ...twice, threads: [] });
    expect(history.beforeRemedy).toBeNull();
    history.undo();
    expect(history.beforeRemedy).toBe(before);
  });
});

describe('cells of the score', () => {
  it('lie where what is put into them is issued', () => {
    const experiment = strategyB();
    const layout = scoreLayout(experiment);
    const download = layout.rows.findIndex(({ name }) => name === 'download');
    expect(placeOfCell(experiment, layout, { row: download, column: 3 }, 0)).toEqual({
      place: { list: ['threads', 0, 'operations'], index: 3 },
      target: { row: 'stream', stream: 'download' },
    });
    expect(placeOfCell(experiment, layout, { row: 0, column: 99 }, 0).place).toEqual(atEndOf(experiment, 0));
  });

  it('before a group are outside of it, and inside it after its first column', () => {
    const grouped = groupOperations(strategyB(), operationPaths(strategyB()).slice(2, 5), { op: 'repeat', count: 2 });
    const layout = scoreLayout(grouped.experiment);
    const list = (column: number) => placeOfCell(grouped.experiment, layout, { row: 0, column }, 0).place;
    expect(list(1)).toEqual({ list: ['threads', 0, 'operations'], index: 1 });
    expect(list(3)).toEqual({ list: ['threads', 0, 'operations', 2, 'operations'], index: 1 });
    expect(list(5)).toEqual({ list: ['threads', 0, 'operations'], index: 3 });
  });

  it('always include the default stream', () => {
    const { rows } = scoreLayout(emptyExperiment());
    expect(rows.map(({ target }) => target)).toEqual([{ row: 'host' }, { row: 'stream', stream: 'default' }]);
    expect(scoreLayout(prefetchLoop()).rows.map(({ name }) => name)).toEqual([
      'main',
      'prefetch',
      'compute',
      'legacy default',
    ]);
  });
});

describe('the search for operations', () => {
  it('finds by title, by the document’s name and by CUDA’s', () => {
    const found = (query: string) =>
      operationSections.flatMap(({ operations }) =>
        operations.filter((one) => matches(one, query)).map(({ name }) => name),
      );
    expect(found('cudaStreamWaitEvent')).toEqual(['waitEvent']);
    expect(found('pin_memory')).toEqual(['pin']);
    expect(found('event record')).toContain('recordEvent');
    expect(found('nothing like this')).toEqual([]);
  });
});
