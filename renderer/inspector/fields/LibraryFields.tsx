/** Fields of a cuBLAS or cuFFT kernel. Its buffers grow with its sizes. */
import { setLibraryField } from '../../../core/experiment/edit/libraryKernel.ts';
import type { OperationPath } from '../../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { LibraryShape } from '../../../core/experiment/libraryKernels.ts';
import { matmulTypes } from '../../../core/experiment/operations.ts';
import { ChoiceField, numberFormat, SwitchField, ValueField } from './inputs.tsx';

const preparedChoices = [
  { value: 'before-run', label: 'before the run' },
  { value: 'first-use', label: 'by its first use' },
];

interface LibraryProps {
  /** Path of the kernel. */
  readonly path: OperationPath;
  readonly kernel: LibraryShape;
}

/** Sizes, types, and when the library allocates its workspace. */
export function LibraryFields({ path, kernel }: LibraryProps) {
  const set = (field: string) => (experiment: Experiment, value: unknown) =>
    setLibraryField(experiment, path, field, value);
  const at = (field: string) => ({ path: [...path, 'kernel', field], change: set(field) });
  const count = (label: string, field: string, hint: string) => (
    <ValueField label={label} {...at(field)} format={numberFormat} hint={hint} />
  );
  if (kernel.kind === 'fft') {
    return (
      <>
        {count('Size', 'size', 'complex numbers, 2 to 134,217,728')}
        {count('Batch', 'batch', '1 to 1,000,000')}
        <ChoiceField label="Plan is made" {...at('plan')} choices={preparedChoices} />
      </>
    );
  }
  return (
    <>
      {count('Rows (m)', 'm', '1 to 65,536')}
      {count('Columns (n)', 'n', '1 to 65,536')}
      {count('Depth (k)', 'k', '1 to 65,536')}
      <ChoiceField label="Numbers" {...at('dtype')} choices={matmulTypes.map((value) => ({ value, label: value }))} />
      {kernel.dtype === 'float32' ? <SwitchField label="Allow TF32" {...at('tf32')} /> : null}
      <ChoiceField label="Work space is made" {...at('workspace')} choices={preparedChoices} />
    </>
  );
}
