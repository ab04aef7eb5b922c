/** The panels next to the centre: which ones a page has, and which of them are hidden. */
import { useViewportSize } from '@mantine/hooks';
import { create } from 'zustand';
import { useLessonView } from './lessonView.ts';
import { hasDocument } from './page.ts';
import { recall, remember } from './settings.ts';
import { state, useApp } from './store.ts';
import type { Page } from './types.ts';
import type { SizedPanel } from './usePanelSizes.ts';

const sizes = { library: 248, lesson: 390, presented: 620, inspector: 316 };
type Side = keyof typeof sizes;

/** A panel that the user can hide. */
export interface HidablePanel extends SizedPanel {
  readonly id: Side;
  readonly hidden: boolean;
  readonly onHidden: () => void;
}

/** Width in pixels that the centre needs next to panels that are shown by themselves. */
const roomyCentre = 560;
/** Width in pixels of the narrowest centre and panels. */
const narrowest = { centre: 420, panel: 250 };

/**
 * True for panels whose visibility the user has changed. A window with room for a panel shows it by itself, so that a
 * choice in a wide window says nothing about a narrow one.
 */
const useTurned = create<Readonly<Record<string, boolean>>>()(() => ({}));

const keyOf = (name: Side, fits: boolean): string => `panel-turned:${name}:${fits ? 'wide' : 'narrow'}`;
const isTurned = (turned: Readonly<Record<string, boolean>>, key: string): boolean =>
  turned[key] ?? recall(key) === 'yes';

function sidesOf(page: Page, presenting: boolean): Side[] {
  if (page.kind === 'lesson') return presenting ? ['presented'] : ['lesson', 'inspector'];
  return hasDocument(page) ? ['library', 'inspector'] : ['library'];
}

/** Returns the panels that fit next to the centre. The library yields to the inspector; a lesson's text is always shown. */
function fitting(sides: readonly Side[], width: number): Set<Side> {
  let room = width;
  return new Set(
    (sides[0] === 'library' ? sides.toReversed() : sides).filter((name) => {
      if (name === 'lesson' || name === 'presented' || room - sizes[name] >= roomyCentre) room -= sizes[name];
      else return false;
      return true;
    }),
  );
}

function visibility(sides: readonly Side[], width: number, turned: Readonly<Record<string, boolean>>) {
  const fits = fitting(sides, width);
  return sides.map((name) => {
    const key = keyOf(name, fits.has(name));
    return { name, key, hidden: fits.has(name) === isTurned(turned, key) };
  });
}

const now = () =>
  visibility(sidesOf(state().page, useLessonView.getState().presenting), window.innerWidth, useTurned.getState());

function turn(name: Side): void {
  const one = now().find((each) => each.name === name);
  if (one === undefined) return;
  const turned = !isTurned(useTurned.getState(), one.key);
  useTurned.setState({ [one.key]: turned });
  remember(one.key, turned ? 'yes' : 'no');
}

/** Shows a hidden panel, or hides it. A window that is too narrow for two shows the last one. */
export function toggleSide(where: 'left' | 'right'): void {
  const all = now();
  const one = all.find(({ name }) => (name === 'inspector') === (where === 'right'));
  if (one === undefined) return;
  turn(one.name);
  if (!one.hidden || window.innerWidth >= narrowest.centre + 2 * narrowest.panel) return;
  for (const other of all) if (other.name !== one.name && !other.hidden) turn(other.name);
}

export function showSide(where: 'left' | 'right'): void {
  if (now().some(({ name, hidden }) => hidden && (name === 'inspector') === (where === 'right'))) toggleSide(where);
}

/** Content of the left panel next to an experiment. */
export const useLeft = create<{ readonly content: 'library' | 'build' }>()(() => ({ content: 'library' }));

export function showLeft(content: 'library' | 'build'): void {
  useLeft.setState({ content });
  showSide('left');
}

/** Returns the open page's panels, from the left. */
export function useSidePanels(): readonly HidablePanel[] {
  const page = useApp((all) => all.page);
  const presenting = useLessonView((view) => view.presenting);
  const turned = useTurned();
  const { width } = useViewportSize();
  return visibility(sidesOf(page, presenting), width || window.innerWidth, turned).map(({ name, hidden }) => ({
    ...{ id: name, name, hidden, size: sizes[name] },
    onHidden: () => turn(name),
  }));
}
