/** The palette's operations in groups, with CUDA's and PyTorch's names and a short description. */
import { bytesText, durationText } from '../../core/experiment/edit/quantities.ts';
import type { TypedOperation } from '../../core/experiment/edit/typedOperation.ts';
import { descriptorOf, type OperationName, operationNames } from '../../core/experiment/operations.ts';

export interface OperationText {
  readonly name: OperationName;
  readonly title: string;
  /** CUDA's or PyTorch's call, and its purpose. */
  readonly summary: string;
}

export interface OperationSection {
  readonly title: string;
  readonly operations: readonly OperationText[];
}

/** 'recordEvent' as 'Record event', if it has no title of its own. */
export const operationTitle = (name: OperationName): string =>
  descriptorOf(name).title ??
  name.charAt(0).toUpperCase() + name.slice(1).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const operations: readonly OperationText[] = operationNames.map((name) => ({
  name,
  title: operationTitle(name),
  summary: descriptorOf(name).summary,
}));

/** The palette's operations under its headings. */
export const operationSections: readonly OperationSection[] = [
  ...new Set(operationNames.map((name) => descriptorOf(name).section)),
].map((title) => ({ title, operations: operations.filter(({ name }) => descriptorOf(name).section === title) }));

/** Whether every word that was typed is in the operation's title, name or summary. */
export function matches({ name, title, summary }: OperationText, query: string): boolean {
  const all = `${title} ${name} ${summary}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** Returns the typed operation as one line, as it will be added: 'Copy H2D, 64 MB, pinned, in side'. */
export function typedTitle(typed: TypedOperation): string {
  const { name, direction = 'h2d', bytes, memory, durationNs, stream, event, buffer, src, dst } = typed;
  const { reads = [], writes = [] } = typed;
  const parts = [
    name === 'copy' ? `Copy ${direction.toUpperCase()}` : operationTitle(name),
    ...(bytes === undefined ? [] : [bytesText(bytes)]),
    ...(memory === undefined ? [] : [memory]),
    ...(durationNs === undefined ? [] : [durationText(durationNs)]),
    ...(event === undefined ? [] : [event]),
    ...(buffer === undefined ? [] : [buffer]),
    ...(src === undefined ? [] : [`from ${src}`]),
    ...(dst === undefined ? [] : [`to ${dst}`]),
    ...(reads.length === 0 ? [] : [`reads ${reads.join(', ')}`]),
    ...(writes.length === 0 ? [] : [`writes ${writes.join(', ')}`]),
    ...(stream === undefined ? [] : [`in ${stream}`]),
  ];
  return parts.join(', ');
}
