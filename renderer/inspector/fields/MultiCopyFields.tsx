/** The fields of a multi-tensor copy: tensors, strategy, and the strategy's options. */
import { setOption, setStrategy } from '../../../core/experiment/edit/multiCopy.ts';
import type { OperationPath } from '../../../core/experiment/edit/paths.ts';
import { bytesText, parseBytes } from '../../../core/experiment/edit/quantities.ts';
import {
  type MultiCopyOption,
  multiCopyOptions,
  type NumberOption,
} from '../../../core/experiment/multiCopyOptions.ts';
import { copyStrategies, type OperationOf } from '../../../core/experiment/operations.ts';
import { bytesFormat, ChoiceField, type Format, named, numberFormat, SwitchField, ValueField } from './inputs.tsx';

interface Props {
  readonly path: OperationPath;
  readonly operation: OperationOf<'multiCopy'>;
}

export function MultiCopyFields({ path, operation }: Props) {
  const { strategy } = operation;
  return (
    <>
      <ChoiceField label="Direction" path={[...path, 'direction']} choices={named(['h2d', 'd2h', 'd2d', 'h2h'])} />
      <ValueField label="Tensors" path={[...path, 'payload', 'tensors']} format={numberFormat} hint="1 to 1,000,000" />
      <ValueField
        label="Size of each"
        path={[...path, 'payload', 'bytes']}
        format={sizesFormat}
        hint="One size, or several that are taken in turn"
      />
      <ChoiceField label="Memory" path={[...path, 'payload', 'memory']} choices={named(['pageable', 'pinned'])} />
      <ChoiceField
        label="Strategy"
        path={[...path, 'strategy']}
        choices={named(copyStrategies)}
        change={(experiment, next) => setStrategy(experiment, path, next as typeof strategy)}
      />
      {Object.entries(multiCopyOptions[strategy]).map(([name, option]) => (
        <OptionField key={`${strategy} ${name}`} name={name} option={option} path={path} />
      ))}
    </>
  );
}

type Sizes = OperationOf<'multiCopy'>['payload']['bytes'];

/** Formats one size as '64 KiB', several in turn as '64 KiB, 1 MiB'. */
const sizesFormat: Format<Sizes> = {
  write: (sizes) => (typeof sizes === 'number' ? bytesText(sizes) : sizes.map(bytesText).join(', ')),
  read: (text) => {
    const sizes = text.split(',').map(parseBytes);
    const [first] = sizes;
    if (sizes.some((size) => size === null)) return null;
    return sizes.length === 1 && typeof first === 'number' ? first : sizes.filter((size) => size !== null);
  },
  expected: 'a size such as 64 KiB, or several with commas',
};

interface OptionProps {
  readonly name: string;
  readonly option: MultiCopyOption;
  /** Path of the operation. */
  readonly path: OperationPath;
}

function OptionField({ name, option, path }: OptionProps) {
  const place = { label: titleOf(name), path: [...path, 'options', name] };
  if (option.kind === 'switch') {
    return (
      <SwitchField
        {...place}
        fallback={option.default}
        hint={option.meaning}
        change={(experiment, next) => setOption(experiment, path, name, next === option.default ? undefined : next)}
      />
    );
  }
  const format = isBytes(name) ? bytesFormat : numberFormat;
  return (
    <ValueField
      {...place}
      format={format}
      emptyMeans={option.default === null ? 'chosen from the payload' : format.write(option.default)}
      hint={`${option.meaning} ${rangeOf(option, format)}`}
      change={(experiment, next) => setOption(experiment, path, name, next)}
    />
  );
}

const isBytes = (name: string): boolean => /bytes$/i.test(name);

const rangeOf = ({ least, most }: NumberOption, { write }: Format<number>): string =>
  `${write(least)} to ${write(most)}.`;

/** Returns 'Use pinned staging' for 'use_pinned_staging', 'Slots per thread' for 'slotsPerThread'. */
function titleOf(name: string): string {
  const words = name
    .replace(/_?bytes$/i, '')
    .replace(/([A-Z])/g, ' $1')
    .replaceAll('_', ' ')
    .toLowerCase()
    .trim()
    .replace(/\bcpu\b/, 'CPU');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${isBytes(name) ? ' size' : ''}`;
}
