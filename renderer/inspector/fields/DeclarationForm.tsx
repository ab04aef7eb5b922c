/** The fields of a buffer, stream, event, signal, host thread or device. */
import {
  type DeclarationKind,
  declarationNames,
  renameDeclaration,
} from '../../../core/experiment/edit/declarations.ts';
import { setFields, setMemory } from '../../../core/experiment/edit/operations.ts';
import type { OperationPath } from '../../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { type BufferDeclaration, bufferBytes, bufferMemories, dtypeBytes } from '../../../core/experiment/resources.ts';
import { environmentTerms, termsOfDeclaration } from '../../../core/explain/glossary/termOf.ts';
import { TermRow } from '../../terms/TermLink.tsx';
import { Block, SelectionHeading } from '../Facts.tsx';
import {
  bytesFormat,
  ChoiceField,
  Form,
  named,
  numberFormat,
  ReferenceField,
  SwitchField,
  shapeFormat,
  textFormat,
  ValueField,
} from './inputs.tsx';
import { PatternFields } from './PatternFields.tsx';

interface Props {
  readonly experiment: Experiment;
  readonly kind: DeclarationKind;
  readonly id: string;
}

export function DeclarationDetails({ experiment, kind, id }: Props) {
  const index = experiment[kind].findIndex((one) => one.id === id);
  if (index < 0) return null;
  const name = declarationNames[kind];
  return (
    <>
      <SelectionHeading kind={`${name.charAt(0).toUpperCase()}${name.slice(1)}`}>{id}</SelectionHeading>
      <Block title="Fields">
        <Form>
          <IdField kind={kind} id={id} index={index} />
          <Fields experiment={experiment} kind={kind} index={index} />
          <TermRow terms={termsOfDeclaration(kind, id, experiment)} />
        </Form>
      </Block>
    </>
  );
}

function IdField({ kind, id, index }: { readonly kind: DeclarationKind; readonly id: string; readonly index: number }) {
  return (
    <ValueField
      label="Name"
      path={[kind, index, 'id']}
      format={textFormat}
      change={(experiment, next = '') => renameDeclaration(experiment, kind, id, next)}
    />
  );
}

interface FieldsProps {
  readonly experiment: Experiment;
  readonly kind: DeclarationKind;
  readonly index: number;
}

function Fields({ experiment, kind, index }: FieldsProps) {
  const path = [kind, index] as const;
  const buffer = experiment.buffers[index];
  switch (kind) {
    case 'buffers':
      return buffer === undefined ? null : <BufferFields path={path} buffer={buffer} />;
    case 'streams':
      return (
        <>
          <ChoiceField label="Flags" path={[...path, 'flags']} choices={named(['non-blocking', 'blocking'])} />
          <ValueField label="Priority" path={[...path, 'priority']} format={numberFormat} />
          <DeviceField path={path} />
        </>
      );
    case 'events':
      return <SwitchField label="Records the time" path={[...path, 'timing']} fallback />;
    case 'signals':
      return <ValueField label="Capacity" path={[...path, 'capacity']} format={numberFormat} />;
    case 'threads':
      return <DeviceField path={path} />;
    case 'devices':
      return <ValueField label="Index" path={[...path, 'index']} format={numberFormat} />;
  }
}

const DeviceField = ({ path }: { readonly path: OperationPath }) => (
  <ReferenceField kind="devices" label="Device" path={[...path, 'device']} emptyMeans="the first one" />
);

interface BufferProps {
  readonly path: OperationPath;
  readonly buffer: BufferDeclaration;
}

function BufferFields({ path, buffer }: BufferProps) {
  const isTensor = buffer.dtype !== undefined;
  return (
    <>
      <ChoiceField
        label="Memory"
        path={[...path, 'memory']}
        choices={named(bufferMemories)}
        change={(current, memory) => setMemory(current, path, memory)}
      />
      <ChoiceField
        label="Size given as"
        path={[...path, 'bytes']}
        value={isTensor ? 'tensor' : 'bytes'}
        choices={[
          { value: 'bytes', label: 'bytes' },
          { value: 'tensor', label: 'dtype and shape' },
        ]}
        change={(current, as) => setFields(current, path, as === 'tensor' ? asTensor(buffer) : asBytes(buffer))}
      />
      {isTensor ? (
        <>
          <ChoiceField label="dtype" path={[...path, 'dtype']} choices={named(Object.keys(dtypeBytes))} />
          <ValueField label="Shape" path={[...path, 'shape']} format={shapeFormat} />
        </>
      ) : (
        <ValueField label="Size" path={[...path, 'bytes']} format={bytesFormat} />
      )}
      <PatternFields label="Initial content" path={[...path, 'pattern']} pattern={buffer.pattern} />
      <ChoiceField
        label="Exists"
        path={[...path, 'allocated']}
        choices={[
          { value: 'before-run', label: 'before the run' },
          { value: 'by-operation', label: 'from its allocate operation' },
        ]}
      />
      {buffer.memory === 'device' ? <DeviceField path={path} /> : null}
    </>
  );
}

/** Returns the same size as float32, rounded up to whole elements. */
const asTensor = (buffer: BufferDeclaration) => ({
  bytes: undefined,
  dtype: 'float32',
  shape: [Math.ceil(bufferBytes(buffer) / dtypeBytes.float32)],
});
const asBytes = (buffer: BufferDeclaration) => ({ bytes: bufferBytes(buffer), dtype: undefined, shape: undefined });

/** Name, description and environment. */
export function ExperimentForm({ experiment }: { readonly experiment: Experiment }) {
  return (
    <>
      <SelectionHeading kind="Experiment">{experiment.name}</SelectionHeading>
      <Block title="Fields">
        <Form>
          <ValueField label="Name" path={['name']} format={textFormat} />
          <ValueField label="Description" path={['description']} format={textFormat} lines={3} />
          <ChoiceField
            label="Default stream"
            path={['environment', 'defaultStream']}
            choices={named(['legacy', 'per-thread'])}
          />
          <ValueField label="Iterations" path={['environment', 'iterations']} format={numberFormat} />
          <ValueField label="Warm-ups" path={['environment', 'warmups']} format={numberFormat} />
          <ChoiceField label="Frontend" path={['environment', 'frontend']} choices={named(['cuda', 'pytorch'])} />
          <SwitchField label="CUDA_LAUNCH_BLOCKING" path={['environment', 'launchBlocking']} />
          <SwitchField label="Peer access" path={['environment', 'peerAccess']} />
          <ValueField label="Pools keep" path={['environment', 'poolReleaseThreshold']} format={bytesFormat} />
          <TermRow terms={environmentTerms} />
        </Form>
      </Block>
    </>
  );
}
