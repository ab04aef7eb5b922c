/** The editable fields of an operation. */
import { Button, TagsInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { shortCopy } from '../../../core/experiment/describe.ts';
import { type DeclarationKind, declareOtherEnd, makeRoom } from '../../../core/experiment/edit/declarations.ts';
import { setKernelKind } from '../../../core/experiment/edit/newOperation.ts';
import { setField } from '../../../core/experiment/edit/operations.ts';
import type { OperationPath } from '../../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { isLibraryShape } from '../../../core/experiment/libraryKernels.ts';
import { copyModes, type Operation, type OperationOf } from '../../../core/experiment/operations.ts';
import { termsOfOperation } from '../../../core/glossary/termOf.ts';
import { edit } from '../../store/editing/edit.ts';
import { TermRow } from '../../terms/TermRow.tsx';
import { Form } from './Form.tsx';
import {
  bytesFormat,
  ChoiceField,
  durationFormat,
  inSentence,
  named,
  numberFormat,
  ReferenceField,
  textFormat,
  useChosen,
  ValueField,
} from './inputs.tsx';
import { LibraryFields } from './LibraryFields.tsx';
import { MultiCopyFields } from './MultiCopyFields.tsx';
import { PatternFields } from './PatternFields.tsx';

interface Props {
  readonly experiment: Experiment;
  readonly path: OperationPath;
  readonly operation: Operation;
}

export function OperationForm({ experiment, path, operation }: Props) {
  return (
    <Form>
      {ownFields({ experiment, path, operation })}
      {references.map(([name, label, kind]) => {
        const value: unknown = Reflect.get(operation, name);
        return typeof value !== 'string' ? null : (
          <ReferenceField
            key={name}
            experiment={experiment}
            kind={kind}
            label={label}
            path={[...path, name]}
            value={value}
            {...otherEnd(operation, name)}
          />
        );
      })}
      {operation.op === 'synchronizeDevice' ? (
        <ReferenceField
          experiment={experiment}
          kind="devices"
          label="Device"
          path={[...path, 'device']}
          value={operation.device}
          emptyMeans="the thread’s own"
        />
      ) : null}
      {'offset' in operation ? <Region path={path} offset={operation.offset} bytes={operation.bytes} /> : null}
      <ValueField
        label="Label"
        path={[...path, 'label']}
        value={operation.label}
        format={textFormat}
        emptyMeans="described by its fields"
      />
      <TermRow terms={termsOfOperation(operation, experiment)} />
    </Form>
  );
}

/** Fields that name a declaration, in display order. */
const references: readonly (readonly [name: string, label: string, kind: DeclarationKind])[] = [
  ['src', 'From', 'buffers'],
  ['dst', 'To', 'buffers'],
  ['buffer', 'Buffer', 'buffers'],
  ['event', 'Event', 'events'],
  ['start', 'Start', 'events'],
  ['end', 'End', 'events'],
  ['signal', 'Signal', 'signals'],
  ['stream', 'Stream', 'streams'],
];

/** Returns the size of a copy's other end, for a new buffer. */
function otherEnd(operation: Operation, field: string) {
  if (operation.op !== 'copy' || (field !== 'src' && field !== 'dst')) return {};
  const of = field === 'src' ? operation.dst : operation.src;
  return { declareNew: (draft: Experiment): string => declareOtherEnd(draft, field, of) };
}

function Region({
  path,
  offset,
  bytes,
}: {
  readonly path: OperationPath;
  readonly offset: number;
  readonly bytes: number | undefined;
}) {
  return (
    <>
      <ValueField label="Offset" path={[...path, 'offset']} value={offset} format={bytesFormat} />
      <ValueField label="Size" path={[...path, 'bytes']} value={bytes} format={bytesFormat} emptyMeans="to its end" />
    </>
  );
}

function ownFields({ experiment, path, operation }: Props): ReactNode {
  switch (operation.op) {
    case 'copy':
      return <CopyFields experiment={experiment} path={path} operation={operation} />;
    case 'kernel':
      return <KernelFields experiment={experiment} path={path} operation={operation} />;
    case 'work':
    case 'hostFunction':
      return (
        <ValueField
          label="Duration"
          path={[...path, 'durationNs']}
          value={operation.durationNs}
          format={durationFormat}
        />
      );
    case 'memset':
      return (
        <ValueField
          label="Value"
          path={[...path, 'value']}
          value={operation.value}
          format={numberFormat}
          hint="0 to 255"
        />
      );
    case 'write':
      return <PatternFields label="Pattern" path={[...path, 'pattern']} pattern={operation.pattern} />;
    case 'read':
      return (
        <PatternFields
          label="Expects"
          path={[...path, 'expect']}
          pattern={operation.expect}
          emptyMeans="what the program put there"
        />
      );
    case 'allocate':
      return (
        <ChoiceField
          label="Allocator"
          path={[...path, 'allocator']}
          value={operation.allocator}
          choices={named(['cuda-malloc', 'pool', 'caching'])}
        />
      );
    case 'multiCopy':
      return <MultiCopyFields path={path} operation={operation} />;
    case 'repeat':
      return (
        <ValueField
          label="Times"
          path={[...path, 'count']}
          value={operation.count}
          format={numberFormat}
          hint="1 to 10,000,000"
        />
      );
    case 'range':
      return <ValueField label="Name" path={[...path, 'name']} value={operation.name} format={textFormat} />;
    case 'graphCapture':
    case 'graphLaunch':
      return <ValueField label="Graph" path={[...path, 'graph']} value={operation.graph} format={textFormat} />;
    default:
      return null;
  }
}

const modeLabels: Readonly<Record<(typeof copyModes)[number], string>> = {
  async: 'asynchronous (cudaMemcpyAsync)',
  'blocking-to': 'blocking, as Tensor.to',
  'blocking-memcpy': 'blocking (cudaMemcpy)',
};

interface CopyProps {
  readonly experiment: Experiment;
  readonly path: OperationPath;
  readonly operation: OperationOf<'copy'>;
}

type Short = ReturnType<typeof shortCopy>;

/** Warns at the field that the copy doesn't move all of its source. */
function shortHint(short: Short, { src, dst }: OperationOf<'copy'>): { readonly hint?: string } {
  if (short === null) return {};
  const moves = `Moves ${short.text} in “${src}”`;
  return { hint: short.isMeant ? `${moves}.` : `${moves}: “${dst}” has no room for more.` };
}

function CopyFields({ experiment, path, operation }: CopyProps) {
  const short = shortCopy(operation, experiment);
  return (
    <>
      <ChoiceField
        label="Mode"
        path={[...path, 'mode']}
        value={operation.mode}
        choices={copyModes.map((value) => ({ value, label: modeLabels[value] }))}
      />
      <ValueField
        label="Size"
        path={[...path, 'bytes']}
        value={operation.bytes}
        format={bytesFormat}
        emptyMeans="all that fits"
        {...shortHint(short, operation)}
      />
      {short === null || short.isMeant ? null : (
        <Button
          variant="default"
          size="compact-xs"
          onClick={() => void edit('Make the target larger', (current) => makeRoom(current, operation))}
        >
          Make “{operation.dst}” as large
        </Button>
      )}
      <ValueField
        label="Source offset"
        path={[...path, 'srcOffset']}
        value={operation.srcOffset}
        format={bytesFormat}
      />
      <ValueField
        label="Target offset"
        path={[...path, 'dstOffset']}
        value={operation.dstOffset}
        format={bytesFormat}
      />
    </>
  );
}

const kernelKinds = [
  { value: 'spin', label: 'spins for a time' },
  { value: 'stream', label: 'streams over bytes' },
  { value: 'arithmetic', label: 'computes' },
  { value: 'matmul', label: 'multiplies matrices' },
  { value: 'fft', label: 'transforms (FFT)' },
];

interface KernelProps {
  readonly experiment: Experiment;
  readonly path: OperationPath;
  readonly operation: OperationOf<'kernel'>;
}

function KernelFields({ experiment, path, operation }: KernelProps) {
  const { kernel } = operation;
  return (
    <>
      <ChoiceField
        label="Kernel"
        path={[...path, 'kernel']}
        value={kernel.kind}
        choices={kernelKinds}
        change={(current, kind) => setKernelKind(current, path, kind as typeof kernel.kind)}
      />
      {kernel.kind === 'spin' ? (
        <ValueField
          label="Duration"
          path={[...path, 'kernel', 'durationNs']}
          value={kernel.durationNs}
          format={durationFormat}
        />
      ) : null}
      {kernel.kind === 'stream' ? (
        <>
          <ValueField
            label="Passes"
            path={[...path, 'kernel', 'passes']}
            value={kernel.passes}
            format={numberFormat}
            hint="1 to 10,000"
          />
          <ReferenceField
            experiment={experiment}
            kind="buffers"
            label="Reads"
            path={[...path, 'reads', 0]}
            value={operation.reads[0]}
          />
          <ReferenceField
            experiment={experiment}
            kind="buffers"
            label="Writes"
            path={[...path, 'writes', 0]}
            value={operation.writes[0]}
          />
        </>
      ) : (
        <>
          {kernel.kind === 'arithmetic' ? (
            <ValueField
              label="FLOP"
              path={[...path, 'kernel', 'flops']}
              value={kernel.flops}
              format={numberFormat}
              hint="1 to 1e18"
            />
          ) : null}
          {isLibraryShape(kernel) ? <LibraryFields path={path} kernel={kernel} /> : null}
          <BufferTags label="Reads" path={[...path, 'reads']} value={operation.reads} experiment={experiment} />
          <BufferTags label="Writes" path={[...path, 'writes']} value={operation.writes} experiment={experiment} />
        </>
      )}
      {isLibraryShape(kernel) ? null : (
        <ValueField
          label="Share of SMs"
          path={[...path, 'smShare']}
          value={operation.smShare}
          format={numberFormat}
          hint="above 0, up to 1"
        />
      )}
    </>
  );
}

interface TagsProps {
  readonly label: string;
  readonly path: OperationPath;
  readonly value: readonly string[];
  readonly experiment: Experiment;
}

function BufferTags({ label, path, value, experiment }: TagsProps) {
  const [shown, choose] = useChosen(value);
  const set = (next: string[]): Promise<boolean> =>
    edit(`Change ${inSentence(label)}`, (current) => setField(current, path, next));
  return (
    <TagsInput
      label={label}
      size="xs"
      data={experiment.buffers.map(({ id }) => id)}
      value={[...shown]}
      onChange={(next) => choose(next, set(next))}
    />
  );
}
