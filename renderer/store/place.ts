/** The query of a link: the visible time range, the iteration, and the selection. */
import { create } from 'zustand';
import type { Selection } from './types.ts';

export interface Place {
  readonly view: { readonly startNs: number; readonly endNs: number };
  readonly iteration: number | null;
  /** Selection in the page's run, whose id is in the page's address. */
  readonly selection: Selection | null;
}

/** Place of the opened link, until the lanes can show it. */
export const useAskedPlace = create<{ readonly place: Place | null }>()(() => ({ place: null }));

export function placeQuery({ view, iteration, selection }: Place): string {
  const whole = (ns: number): string => String(Math.round(ns));
  const parts = [
    `at=${whole(view.startNs)},${whole(view.endNs)}`,
    ...(iteration === null ? [] : [`iteration=${iteration}`]),
    ...(selection?.kind === 'row' ? [`row=${selection.row}`] : []),
    ...(selection?.kind === 'op' ? [`op=${selection.id}`] : []),
    ...(selection?.kind === 'area' ? [`area=${whole(selection.startNs)},${whole(selection.endNs)}`] : []),
  ];
  return `?${parts.join('&')}`;
}

/** Returns null if the address names no valid place. */
export function parsePlace(hash: string, run: string): Place | null {
  const query = new URLSearchParams(hash.slice(hash.indexOf('?') + 1));
  const view = stretch(query.get('at'));
  if (!hash.includes('?') || view === null) return null;
  const [row, op, area] = [whole(query.get('row')), query.get('op'), stretch(query.get('area'))];
  const selection: Selection | null =
    row !== null
      ? { kind: 'row', run, row }
      : op !== null
        ? { kind: 'op', id: op }
        : area !== null
          ? { kind: 'area', run, ...area }
          : null;
  return { view, iteration: whole(query.get('iteration')), selection };
}

const whole = (text: string | null): number | null => (text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null);

function stretch(text: string | null): Place['view'] | null {
  const [, start, end] = /^(-?\d{1,17}),(-?\d{1,17})$/.exec(text ?? '') ?? [];
  if (start === undefined || end === undefined || Number(end) <= Number(start)) return null;
  return { startNs: Number(start), endNs: Number(end) };
}
