import { setField } from '../../../core/experiment/edit/operations.ts';
import type { OperationPath } from '../../../core/experiment/edit/paths.ts';
import type { Pattern } from '../../../core/experiment/resources.ts';
import { ChoiceField, numberFormat, ValueField } from './inputs.tsx';

interface Props {
  readonly path: OperationPath;
  readonly pattern: Pattern | undefined;
  readonly label: string;
  readonly emptyMeans?: string;
}

const fresh: Readonly<Record<Pattern['kind'], Pattern>> = {
  random: { kind: 'random', seed: 1 },
  index: { kind: 'index', seed: 0 },
  constant: { kind: 'constant', value: 0 },
  float32: { kind: 'float32', seed: 1 },
  float16: { kind: 'float16', seed: 1 },
  bfloat16: { kind: 'bfloat16', seed: 1 },
};

/** The content of memory: a kind, and the number that goes with it. */
export function PatternFields({ path, pattern, label, emptyMeans }: Props) {
  const kinds = (Object.keys(fresh) as Pattern['kind'][]).map((kind) => ({ value: kind, label: kind }));
  const number = pattern?.kind === 'constant' ? 'value' : 'seed';
  return (
    <>
      <ChoiceField
        label={label}
        path={[...path, 'kind']}
        choices={emptyMeans === undefined ? kinds : [{ value: '', label: emptyMeans }, ...kinds]}
        change={(experiment, kind) =>
          setField(experiment, path, kind === '' ? undefined : fresh[kind as Pattern['kind']])
        }
      />
      {pattern === undefined ? null : (
        <ValueField label={number === 'value' ? 'Word' : 'Seed'} path={[...path, number]} format={numberFormat} />
      )}
    </>
  );
}
