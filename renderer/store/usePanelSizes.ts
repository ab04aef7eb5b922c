/**
 * Panels that stay as large as they were made, in pixels: from one visit to the next, and where a window that had too
 * little room for them is made larger again. One panel of the group takes what is left.
 */
import { type RefObject, useEffect, useRef } from 'react';
import { type GroupImperativeHandle, type Layout, type LayoutChangedMeta, useGroupRef } from 'react-resizable-panels';
import { recall, remember } from './settings.ts';

export interface SizedPanel {
  readonly id: string;
  /** What its size is remembered by. */
  readonly name: string;
  /** In pixels, until someone makes it larger or smaller. */
  readonly size: number;
}

const keyOf = ({ name }: SizedPanel): string => `panel:${name}`;

export function panelSize(panel: SizedPanel): number {
  const kept = Number(recall(keyOf(panel)));
  return Number.isFinite(kept) && kept > 0 ? kept : panel.size;
}

interface PanelSizes {
  readonly groupRef: RefObject<GroupImperativeHandle | null>;
  readonly elementRef: RefObject<HTMLDivElement | null>;
  readonly onLayoutChanged: (layout: Layout, meta: LayoutChangedMeta) => void;
}

/** For a group; `panels` are all of it but the one between or after them. */
export function usePanelSizes(panels: readonly SizedPanel[]): PanelSizes {
  const groupRef = useGroupRef();
  const elementRef = useRef<HTMLDivElement>(null);
  const last = useRef<Layout>({});
  const current = useRef(panels);
  current.current = panels;
  const key = panels.map(keyOf).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: other panels are another group on screen.
  useEffect(() => {
    const element = elementRef.current;
    if (element === null) return;
    let frame = 0;
    const observer = new ResizeObserver(() => {
      // After the group has done its own to it.
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        if (groupRef.current !== null) arrange(groupRef.current, current.current, roomOf(element));
      });
    });
    observer.observe(element);
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
    };
  }, [key]);
  return {
    groupRef,
    elementRef,
    onLayoutChanged: (layout, { isUserInteraction }) => {
      const before = last.current;
      last.current = layout;
      if (!isUserInteraction || elementRef.current === null) return;
      const room = roomOf(elementRef.current);
      for (const panel of panels) {
        const share = layout[panel.id];
        if (share === undefined || share === before[panel.id]) continue;
        remember(keyOf(panel), String(Math.round((share / 100) * room)));
      }
    },
  };
}

/** Of all panels together, without what separates them, in the window's own pixels: a group may be drawn larger. */
function roomOf(element: HTMLElement): number {
  const isAcross = getComputedStyle(element).flexDirection === 'row';
  const panels = [...element.querySelectorAll<HTMLElement>(':scope > [data-panel]')];
  const sizes = panels.map((panel) => panel.getBoundingClientRect());
  return sizes.reduce((sum, { width, height }) => sum + (isAcross ? width : height), 0);
}

/** Gives each panel its size, and the rest to the one that has none. Where there is too little room the group decides. */
function arrange(group: GroupImperativeHandle, panels: readonly SizedPanel[], room: number): void {
  if (room <= 0) return;
  const layout = group.getLayout();
  const wanted = Object.fromEntries(panels.map((panel) => [panel.id, (panelSize(panel) / room) * 100]));
  const rest = 100 - Object.values(wanted).reduce((sum, share) => sum + share, 0);
  const next = Object.fromEntries(Object.keys(layout).map((id) => [id, wanted[id] ?? Math.max(rest, 0)]));
  const isSame = Object.entries(next).every(([id, share]) => Math.abs(share - (layout[id] ?? 0)) < 0.05);
  if (!isSame && rest > 0) group.setLayout(next);
}
