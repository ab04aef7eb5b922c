/**
 * Panels that keep their size in pixels between visits, and when a small window grows again. One panel of the group
 * takes the rest.
 */
import { type RefObject, useEffect, useRef } from 'react';
import { type GroupImperativeHandle, type Layout, type LayoutChangedMeta, useGroupRef } from 'react-resizable-panels';
import { recall, remember } from './settings.ts';

export interface SizedPanel {
  readonly id: string;
  /** Name under which the size is stored. */
  readonly name: string;
  /** Size in pixels until the user resizes the panel. */
  readonly size: number;
  /** True if the panel has no width; its content should not be drawn. */
  readonly hidden?: boolean;
  /** Called if the user drags the panel's edge until it has no width. */
  readonly onHidden?: () => void;
}

const keyOf = ({ name }: SizedPanel): string => `panel:${name}`;

export function panelSize(panel: SizedPanel): number {
  if (panel.hidden === true) return 0;
  const kept = Number(recall(keyOf(panel)));
  return Number.isFinite(kept) && kept > 0 ? kept : panel.size;
}

interface PanelSizes {
  readonly groupRef: RefObject<GroupImperativeHandle | null>;
  readonly elementRef: RefObject<HTMLDivElement | null>;
  readonly onLayoutChanged: (layout: Layout, meta: LayoutChangedMeta) => void;
}

/** Sizes of a group's panels; `panels` are all but the one that takes the rest. */
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
      // Runs after the group has set its own layout.
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
  const wanted = panels.map(panelSize).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a panel that is hidden or grows changes the sizes of all.
  useEffect(() => {
    const [group, element] = [groupRef.current, elementRef.current];
    if (group !== null && element !== null) arrange(group, current.current, roomOf(element));
  }, [wanted]);
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
        if (share === 0) panel.onHidden?.();
        else remember(keyOf(panel), String(Math.round((share / 100) * room)));
      }
    },
  };
}

/** Returns the total size of all panels without separators, in the window's pixels: a group may be drawn larger. */
function roomOf(element: HTMLElement): number {
  const isAcross = getComputedStyle(element).flexDirection === 'row';
  const panels = [...element.querySelectorAll<HTMLElement>(':scope > [data-panel]')];
  const sizes = panels.map((panel) => panel.getBoundingClientRect());
  return sizes.reduce((sum, { width, height }) => sum + (isAcross ? width : height), 0);
}

/** Gives each panel its size, and the rest to the one without. If there is too little room, the group decides. */
function arrange(group: GroupImperativeHandle, panels: readonly SizedPanel[], room: number): void {
  if (room <= 0) return;
  const layout = group.getLayout();
  const wanted = Object.fromEntries(panels.map((panel) => [panel.id, (panelSize(panel) / room) * 100]));
  const rest = 100 - Object.values(wanted).reduce((sum, share) => sum + share, 0);
  const next = Object.fromEntries(Object.keys(layout).map((id) => [id, wanted[id] ?? Math.max(rest, 0)]));
  const isSame = Object.entries(next).every(([id, share]) => Math.abs(share - (layout[id] ?? 0)) < 0.05);
  if (!isSame && rest > 0) group.setLayout(next);
}
