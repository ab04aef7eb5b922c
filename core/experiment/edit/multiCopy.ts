/** Edits of a multi-tensor copy: its strategy and the strategy's options. */

import type { Experiment } from '../experiment.ts';
import { multiCopyOptions, requireOptions } from '../multiCopyOptions.ts';
import type { copyStrategies, OperationOf } from '../operations.ts';
import { type Edited, edit } from './edit.ts';
import { type OperationPath, operationOf, refused } from './paths.ts';

type Strategy = (typeof copyStrategies)[number];

function multiCopyAt(draft: Experiment, path: OperationPath): OperationOf<'multiCopy'> {
  const operation = operationOf(draft, path);
  if (operation.op === 'multiCopy') return operation;
  throw refused('This operation copies no list of tensors.', 'Select another.');
}

/** Changes the strategy. Keeps options that the new one also has, and drops the others, which it would reject. */
export const setStrategy = (experiment: Experiment, path: OperationPath, strategy: Strategy): Edited =>
  edit(experiment, (draft) => {
    const operation = multiCopyAt(draft, path);
    operation.strategy = strategy;
    const known = multiCopyOptions[strategy];
    operation.options = Object.fromEntries(
      Object.entries(operation.options).filter(([name]) => Object.hasOwn(known, name)),
    );
    return undefined;
  });

/** Sets an option; undefined for its default. Throws `experiment.invalid` if the strategy doesn't allow the value. */
export const setOption = (
  experiment: Experiment,
  path: OperationPath,
  name: string,
  value: number | boolean | undefined,
): Edited =>
  edit(experiment, (draft) => {
    const operation = multiCopyAt(draft, path);
    if (value === undefined) delete operation.options[name];
    else {
      requireOptions(operation.strategy, { [name]: value }, [...path, 'options']);
      operation.options[name] = value;
    }
    return undefined;
  });
