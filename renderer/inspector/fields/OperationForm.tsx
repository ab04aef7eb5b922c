/** The editable fields of an operation. */
import { Button, TagsInput } from '@mantine/core';
import { search } from '../../../core/experiment/describe.ts';
import { declareOtherEnd, makeRoom, setCopySize } from '../../../core/experiment/edit/declarations.ts';
import type { Edited } from '../../../core/experiment/edit/edit.ts';
import { setKernelKind } from '../../../core/experiment/edit/newOperation.ts';
import { setCopyEnd, setField, setMemory } from '../../../core/experiment/edit/operations.ts';
import type { OperationPath } from '../../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { isLibraryShape } from '../../../core/experiment/libraryKernels.ts';
import { shortCopy } from '../../../core/experiment/operations/copy.ts';
import { fieldWords, referenceFields, shapeOf, unitOf } from '../../../core/experiment/operations/fields.ts';
import {
  copyModes,
  descriptorOf,
  type Operation,
  type OperationName,
  type OperationOf,
} from '../../../core/experiment/operations.ts';
import { bufferMemories, type Pattern } from '../../../core/experiment/resources.ts';
import { termsOfOperation } from '../../../core/explain/glossary/termOf.ts';
import { edit } from '../../store/editing/edit.ts';
import { TermRow } from '../../terms/TermLink.tsx';
import classes from './Form.module.css';
import {
  bytesFormat,
  ChoiceField,
  durationFormat,
  Form,
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
  const ranks = [...referenceFields.keys(), 'offset', 'bytes'];
  const shown = Object.entries(descriptorOf(operation.op).schema.shape)
    .filter(([name]) => !formFields.includes(name) && !ownFields[operation.op]?.includes(name))
    .sort(([one], [other]) => ranks.indexOf(one) - ranks.indexOf(other));
  return (
    <Form>
      {operation.op === 'copy' ? <CopyFields experiment={experiment} path={path} operation={operation} /> : null}
      {operation.op === 'kernel' ? <KernelFields experiment={experiment} path={path} operation={operation} /> : null}
      {operation.op === 'multiCopy' ? <MultiCopyFields path={path} operation={operation} /> : null}
      {shown.map(([name, schema]) => (
        <PlainField key={name} {...{ experiment, path, operation, name, schema }} />
      ))}
      <ValueField label="Label" path={[...path, 'label']} format={textFormat} emptyMeans="described by its fields" />
      <TermRow terms={termsOfOperation(operation, experiment)} />
    </Form>
  );
}

const copyPlaces = ['srcOffset', 'dstOffset', 'srcStepBytes', 'dstStepBytes'] as const;
const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
/** Shown apart, or not at all. */
const formFields = ['op', 'id', 'label'];
/** Fields that an operation's own part of the form shows. */
const ownFields: Readonly<Partial<Record<OperationName, readonly string[]>>> = {
  copy: ['src', 'dst', 'stream', 'mode', 'bytes', ...copyPlaces],
  kernel: ['kernel', 'reads', 'writes', 'smShare'],
  multiCopy: ['direction', 'payload', 'strategy', 'options'],
};

const stays = 'the same each round';
/** Meaning of a field that is left out. */
const emptyMeanings: Readonly<Partial<Record<string, string>>> = {
  device: 'the thread’s own',
  bytes: 'to its end',
  stepBytes: stays,
  srcPitchBytes: 'the layout decides',
  dstPitchBytes: 'the layout decides',
  expect: 'what the program put there',
};

const formats = { B: bytesFormat, ns: durationFormat, count: numberFormat } as const;

/** A field whose schema says how it is typed. */
function PlainField(props: Props & { readonly name: string; readonly schema: unknown }) {
  const { operation, name, schema } = props;
  const value: unknown = Reflect.get(operation, name);
  const emptyMeans = emptyMeanings[name];
  const place = {
    label: capital(fieldWords(name)),
    path: [...props.path, name],
    ...(emptyMeans === undefined ? {} : { emptyMeans }),
  };
  const kind = referenceFields.get(name);
  if (kind === undefined && Array.isArray(value)) return null;
  if (kind !== undefined) return <ReferenceField kind={kind} {...place} />;
  if (name === 'pattern' || name === 'expect')
    return <PatternFields {...place} pattern={value as Pattern | undefined} />;
  const shape = shapeOf(schema);
  if (shape.kind === 'choice') return <ChoiceField {...place} choices={named(shape.options)} />;
  if (shape.kind === 'text') return <ValueField {...place} format={textFormat} />;
  if (shape.kind !== 'number') return null;
  const unit = unitOf(name);
  const hint = unit === 'count' ? { hint: `${grouped(shape.least)} to ${grouped(shape.most)}` } : {};
  return <ValueField {...place} format={formats[unit]} {...hint} />;
}

const grouped = (value: number): string => value.toLocaleString('en-US');

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
  const short = shortCopy(operation, search(experiment));
  return (
    <>
      <ValueField
        label="Size"
        path={[...path, 'bytes']}
        format={bytesFormat}
        emptyMeans="all that fits"
        change={(current, bytes) => setCopySize(current, path, bytes)}
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
      <ChoiceField
        label="Mode"
        path={[...path, 'mode']}
        choices={copyModes.map((value) => ({ value, label: modeLabels[value] }))}
      />
      {copyPlaces.map((name) => (
        <ValueField
          key={name}
          label={capital(fieldWords(name))}
          path={[...path, name]}
          format={bytesFormat}
          {...(name.endsWith('StepBytes') ? { emptyMeans: stays } : {})}
        />
      ))}
    </>
  );
}

/** Fields that decide how a copy runs: its ends with their memory, and its stream. */
export function CopyEnds({ experiment, path, operation }: CopyProps) {
  const pageable = [operation.src, operation.dst].find((id) =>
    experiment.buffers.some((buffer) => buffer.id === id && buffer.memory === 'pageable'),
  );
  const pin = (current: Experiment): Edited =>
    setMemory(current, ['buffers', current.buffers.findIndex(({ id }) => id === pageable)], 'pinned');
  return (
    <Form>
      <div className={classes['pairs']}>
        <CopyEnd {...{ experiment, path, operation }} end="src" />
        <CopyEnd {...{ experiment, path, operation }} end="dst" />
        <ReferenceField kind="streams" label="Stream" path={[...path, 'stream']} />
        {pageable === undefined ? null : (
          <Button variant="default" size="xs" onClick={() => void edit(`Pin “${pageable}”`, pin)}>
            Pin “{pageable}”
          </Button>
        )}
      </div>
    </Form>
  );
}

/** A buffer of a copy, and its memory, which decides how the copy runs. */
function CopyEnd({ experiment, path, operation, end }: CopyProps & { readonly end: 'src' | 'dst' }) {
  const id = operation[end];
  const index = experiment.buffers.findIndex((buffer) => buffer.id === id);
  const memory = experiment.buffers[index]?.memory;
  const place = ['buffers', index];
  return (
    <>
      <ReferenceField
        kind="buffers"
        label={end === 'src' ? 'From' : 'To'}
        path={[...path, end]}
        declareNew={(draft) => declareOtherEnd(draft, end, operation[end === 'src' ? 'dst' : 'src'])}
        choose={(current, next) => setCopyEnd(current, path, end, next ?? id)}
      />
      {memory === undefined ? null : (
        <ChoiceField
          label={end === 'src' ? 'Memory of source' : 'Memory of target'}
          path={[...place, 'memory']}
          value={memory}
          choices={named(bufferMemories)}
          change={(current, next) => setMemory(current, place, next)}
        />
      )}
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
        path={[...path, 'kernel', 'kind']}
        choices={kernelKinds}
        change={(current, kind) => setKernelKind(current, path, kind as typeof kernel.kind)}
      />
      {kernel.kind === 'spin' ? (
        <ValueField label="Duration" path={[...path, 'kernel', 'durationNs']} format={durationFormat} />
      ) : null}
      {kernel.kind === 'stream' ? (
        <>
          <ValueField label="Passes" path={[...path, 'kernel', 'passes']} format={numberFormat} hint="1 to 10,000" />
          <ReferenceField kind="buffers" label="Reads" path={[...path, 'reads', 0]} />
          <ReferenceField kind="buffers" label="Writes" path={[...path, 'writes', 0]} />
        </>
      ) : (
        <>
          {kernel.kind === 'arithmetic' ? (
            <ValueField label="FLOP" path={[...path, 'kernel', 'flops']} format={numberFormat} hint="1 to 1e18" />
          ) : null}
          {isLibraryShape(kernel) ? <LibraryFields path={path} kernel={kernel} /> : null}
          <BufferTags label="Reads" path={[...path, 'reads']} value={operation.reads} experiment={experiment} />
          <BufferTags label="Writes" path={[...path, 'writes']} value={operation.writes} experiment={experiment} />
        </>
      )}
      {isLibraryShape(kernel) ? null : (
        <ValueField label="Share of SMs" path={[...path, 'smShare']} format={numberFormat} hint="above 0, up to 1" />
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
