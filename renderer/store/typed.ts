/**
 * Texts in fields that are not in the document yet, since neither Enter nor leaving the field has applied them. The
 * document's draft keeps them. After a crash each waits here until its field is on screen again.
 */
import { declarationKinds } from '../../core/experiment/edit/declarations.ts';
import { operationOf, operationPaths } from '../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { TypedTexts } from '../../core/service/service.ts';
import { fieldPath } from '../../core/shape/path.ts';
import type { Selection } from './types.ts';

/** Texts by document, then by the field's path. */
type Texts = Map<string, Readonly<TypedTexts>>;

const onScreen: Texts = new Map();
const recovered: Texts = new Map();

export const typedTexts = (document: string): TypedTexts => ({
  ...recovered.get(document),
  ...onScreen.get(document),
});

/** Returns the text typed into a field before a crash, or null. */
export const recoveredText = (document: string | null, field: string): string | null =>
  document === null ? null : (recovered.get(document)?.[field] ?? null);

/** Notes the text of a field on screen; null if it equals the document's value. Returns true if it changed. */
export function setTyped(document: string, field: string, text: string | null): boolean {
  const before = typedTexts(document)[field] ?? null;
  const others = (texts: TypedTexts = {}): TypedTexts =>
    Object.fromEntries(Object.entries(texts).filter(([name]) => name !== field));
  recovered.set(document, others(recovered.get(document)));
  onScreen.set(document, { ...others(onScreen.get(document)), ...(text === null ? {} : { [field]: text }) });
  return before !== text;
}

/** Keeps the text of a field that goes off screen, until it is back. */
export function setAside(document: string, field: string): void {
  const text = onScreen.get(document)?.[field];
  if (text === undefined) return;
  setTyped(document, field, null);
  recovered.set(document, { ...recovered.get(document), [field]: text });
}

export const recoverTyped = (document: string, texts: TypedTexts): void => void recovered.set(document, texts);

/** Drops the texts after a change, since their paths could name other fields now. */
export const forgetRecovered = (document: string): void => void recovered.delete(document);

/** Returns the selection that shows a field. */
export function selectionOfField(experiment: Experiment, field: string): Selection {
  // Operations in a repeat come after it, and their paths continue its path.
  const path = operationPaths(experiment).findLast((one) => field.startsWith(`${fieldPath(one)}.`));
  if (path !== undefined) return { kind: 'op', id: operationOf(experiment, path).id };
  const [, list, index] = /^(\w+)\[(\d+)\]/.exec(field) ?? [];
  const kind = declarationKinds.find((one) => one === list);
  const id = kind === undefined ? undefined : experiment[kind][Number(index)]?.id;
  return kind === undefined || id === undefined ? { kind: 'experiment' } : { kind: 'declaration', list: kind, id };
}
