/** Changes to kernels that work on mapped memory. Rule (core/rules): mapped-memory. */
import type { Change } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Operation } from '../../experiment/operations.ts';
import { valueAtPath } from '../../shape/path.ts';
import { isReadAgain, type MappedBuffers, mappedBuffers, programFacts, touchedBuffers } from '../verdicts/facts.ts';
import { type Found, find, outermostLoop, type Situation, sizeOf } from './situation.ts';
import { deviceOf } from './streams.ts';

type Program = Pick<Situation, 'experiment' | 'program'>;

interface MappedKernel extends Found<'kernel'> {
  readonly mapped: MappedBuffers;
}

function mappedKernel(situation: Program, op: number | null): MappedKernel | null {
  const kernel = find(situation, op, 'kernel');
  const mapped = kernel === null ? null : mappedBuffers(situation.experiment, kernel.operation);
  return kernel === null || mapped === null ? null : { ...kernel, mapped };
}

const holder = (situation: Situation): MappedKernel | null => {
  const { subject, op, blockedBy, with: other } = situation.verdict;
  return mappedKernel(situation, subject === 'kernel' ? op : (blockedBy ?? other));
};

/** Returns the kernels that work on this mapped memory on the device of `one`, in document order. */
function kernelsOn(situation: Program, id: string, one: MappedKernel): MappedKernel[] {
  const { device } = deviceOf(situation, one);
  return situation.program.operations
    .flatMap(({ op }) => mappedKernel(situation, op) ?? [])
    .filter((other) => other.mapped.read === id || other.mapped.written === id)
    .filter((other) => deviceOf(situation, other).device === device);
}

/**
 * Makes all kernels on this mapped memory work in device memory. Copies in the kernels' streams carry the data: once
 * before the first kernel if nothing writes it, else before and after each kernel.
 */
export function inDeviceMemory(situation: Situation): Change | null {
  const held = holder(situation);
  if (held === null) return null;
  const edit = new ChangeBuilder(situation.experiment);
  for (const id of new Set([held.mapped.read, held.mapped.written])) if (id !== null) move(situation, held, id, edit);
  return edit.change;
}

/** Copies mapped memory to the device once, if nothing writes it and kernels read it over the link again and again. */
export function mappedOnce(experiment: Experiment): Change | null {
  const facts = programFacts(experiment);
  if (facts.program === null) return null;
  const situation = { experiment, program: facts.program };
  const edit = new ChangeBuilder(experiment);
  const seen = new Set<string>();
  for (const { op } of situation.program.operations) {
    const held = mappedKernel(situation, op);
    const id = held?.mapped.read ?? null;
    if (held === null || id === null || seen.has(id) || !isReadAgain(facts, id)) continue;
    const isAgain = kernelsOn(situation, id, held).length > 1 || outermostLoop(experiment, held.info.path) !== null;
    if (!isAgain) continue;
    seen.add(id);
    move(situation, held, id, edit);
  }
  return edit.change.patches.length === 0 ? null : edit.change;
}

function move(situation: Program, held: MappedKernel, id: string, edit: ChangeBuilder): void {
  const bytes = sizeOf(situation, id);
  const there = edit.declare('buffers', `${id}-on-device`, { memory: 'device', bytes, ...deviceOf(situation, held) });
  const kernels = kernelsOn(situation, id, held);
  const [readers, writers] = [
    kernels.filter(({ mapped }) => mapped.read === id),
    kernels.filter(({ mapped }) => mapped.written === id),
  ];
  const isConstant = !isWritten(situation, id);
  if (readers.length > 0)
    edit.step(`Copy "${id}" to device memory, "${there}", and let ${namesOf(readers)} read it there.`);
  for (const [index, { info, operation }] of readers.entries()) {
    const place = (isConstant ? outermostLoop(situation.experiment, info.path) : null) ?? info.path;
    if (index === 0 || !isConstant) edit.before(place, { op: 'copy', stream: operation.stream, src: id, dst: there });
    edit.replace([...info.path, 'reads', 0], there);
  }
  if (writers.length > 0)
    edit.step(`Let ${namesOf(writers)} write device memory, "${there}", and copy that to "${id}".`);
  for (const { info, operation } of writers) {
    const written = Math.min(bytes, sizeOf(situation, operation.reads[0] ?? ''));
    edit.after(info.path, { op: 'copy', stream: operation.stream, src: there, dst: id, bytes: written });
    edit.replace([...info.path, 'writes', 0], there);
  }
}

const isWritten = ({ experiment, program }: Program, id: string): boolean =>
  program.operations.some(
    ({ path }) => touchedBuffers(valueAtPath(experiment, path) as Operation)?.writes.includes(id) === true,
  );

/** Returns for example '"first", "second" and 3 more'. */
function namesOf(kernels: readonly MappedKernel[]): string {
  const names = [...new Set(kernels.map(({ info }) => `"${info.label}"`))];
  return names.length <= 3 ? names.join(', ') : `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`;
}

/** Share of multiprocessors that reads at the link's full rate: measured on H200 at 50 GB/s. */
const readingShare = 0.25;

/** Makes reading kernels use fewer threads, so that copies get more of the link. For writers the effect is unknown. */
export function withFewerThreads(situation: Situation): Change | null {
  const held = holder(situation);
  if (held === null || held.mapped.read === null || held.mapped.written !== null) return null;
  const kernels = kernelsOn(situation, held.mapped.read, held).filter(
    ({ mapped, operation }) => mapped.written === null && operation.smShare > readingShare,
  );
  const edit = new ChangeBuilder(situation.experiment);
  edit.step(`Let ${namesOf(kernels)} fill ${readingShare * 100} % of the multiprocessors.`);
  for (const { info } of kernels) edit.replace([...info.path, 'smShare'], readingShare);
  return edit.change;
}
