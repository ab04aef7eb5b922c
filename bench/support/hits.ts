/**
 * Points at random events in the window, and compares what it says with the trace itself. The view is moved as a person
 * moves it; where the pointer must be is worked out from the events alone, without the window's own index.
 */
import type { Page } from '@playwright/test';
import { lowerBound } from '../../core/lowerBound.ts';
import { rowKinds, type Trace } from '../../core/trace/trace.ts';
import { exactTime } from '../../renderer/timeline/time/ticks.ts';

const pointsAView = 100;

interface Shown {
  readonly startNs: number;
  readonly endNs: number;
  readonly lanes: readonly { readonly id: string; readonly top: number; readonly height: number }[];
  readonly left: number;
  readonly width: number;
}

/** Share of `count` random places on events at which the window names an event that is there. */
export async function findEvents(page: Page, trace: Trace, count: number): Promise<{ found: number }> {
  let [asked, right] = [0, 0];
  for (let round = 0; asked < count; round += 1) {
    await zoomSomewhere(page, round);
    const shown = await page.evaluate(readView);
    const points = pick(trace, shown, Math.min(pointsAView, count - asked), round);
    const said = await page.evaluate(pointAt, points);
    asked += points.length;
    right += points.filter((point, index) =>
      point.starts.some((start) => said[index]?.includes(`Starts${start}`)),
    ).length;
    if (round > 200) break;
  }
  return { found: asked === 0 ? 0 : right / asked };
}

async function zoomSomewhere(page: Page, round: number): Promise<void> {
  await page.evaluate((round) => {
    const element = document.querySelector('[data-testid="timeline-plot"]');
    const box = element?.getBoundingClientRect();
    if (element === null || box === undefined) throw new Error('no plot');
    const place = {
      clientX: box.left + box.width * ((round * 0.37) % 1),
      clientY: box.top + 50,
      bubbles: true,
      cancelable: true,
    };
    const turns = (deltaY: number, times: number): void => {
      for (let k = 0; k < times; k += 1)
        element.dispatchEvent(new WheelEvent('wheel', { ...place, ctrlKey: true, deltaY }));
    };
    turns(400, 30);
    turns(-120, 4 * (round % 11));
    return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  }, round);
}

function readView(): Shown {
  const plot = document.querySelector<HTMLElement>('[data-testid="timeline-plot"]');
  if (plot === null) throw new Error('no plot');
  const box = plot.getBoundingClientRect();
  const lanes = [...document.querySelectorAll<HTMLElement>('[data-lane-id]')].map((lane) => {
    const { top, height } = lane.getBoundingClientRect();
    return { id: lane.dataset['laneId'] ?? '', top, height };
  });
  return {
    startNs: Number(plot.dataset['startNs']),
    endNs: Number(plot.dataset['endNs']),
    lanes: lanes.filter(({ top, height }) => top + height / 2 > box.top && top + height / 2 < box.bottom),
    left: box.left,
    width: box.width,
  };
}

interface Point {
  readonly x: number;
  readonly y: number;
  /** When the events under it start, as the window writes it. */
  readonly starts: readonly string[];
}

/** Streams only: one event at a time lies there, so what is under the pointer is one event, or its close neighbours. */
function pick(trace: Trace, shown: Shown, count: number, round: number): Point[] {
  const { startNs, durationNs, lane, kind } = trace.columns;
  const visible = new Map(
    shown.lanes.flatMap((place) => {
      const number = trace.lanes.findIndex(({ id, kind }) => id === place.id && kind === 'stream');
      return number < 0 ? [] : [[number, place] as const];
    }),
  );
  const inside: number[] = [];
  for (let row = 0; row < trace.count; row += 1) {
    const [start, end] = [startNs[row] ?? 0, (startNs[row] ?? 0) + (durationNs[row] ?? 0)];
    if (end > start && start >= shown.startNs && end <= shown.endNs && visible.has(lane[row] ?? -1)) inside.push(row);
  }
  const longestNs = inside.reduce((most, row) => Math.max(most, durationNs[row] ?? 0), 1e6);
  const pixelNs = (shown.endNs - shown.startNs) / shown.width;
  const points: Point[] = [];
  for (let at = 0; at < count && inside.length > 0; at += 1) {
    const row = inside[(at * 7919 + round * 104_729) % inside.length] ?? 0;
    const place = visible.get(lane[row] ?? -1);
    if (place === undefined) continue;
    const middle = (startNs[row] ?? 0) + (durationNs[row] ?? 0) / 2;
    const x = shown.left + (middle - shown.startNs) / pixelNs;
    const [from, to] = [middle - 0.51 * pixelNs, middle + 0.51 * pixelNs];
    const starts = new Set<string>();
    const first = lowerBound(0, trace.count, (other) => (startNs[other] ?? 0) < from - longestNs);
    for (let other = first; other < trace.count && (startNs[other] ?? 0) <= to; other += 1) {
      if (lane[other] !== lane[row] || (startNs[other] ?? 0) + (durationNs[other] ?? 0) < from) continue;
      if (rowKinds[kind[other] ?? 0] !== 'event-record') starts.add(exactTime(startNs[other] ?? 0));
    }
    points.push({ x, y: place.top + place.height - 8, starts: [...starts] });
  }
  return points;
}

async function pointAt(points: readonly Point[]): Promise<string[]> {
  const plot = document.querySelector('[data-testid="timeline-plot"]');
  const said: string[] = [];
  for (const { x, y } of points) {
    plot?.dispatchEvent(new PointerEvent('pointermove', { clientX: x, clientY: y, bubbles: true }));
    await new Promise((resolve) => requestAnimationFrame(resolve));
    said.push(plot?.parentElement?.querySelector('dl')?.textContent ?? '');
  }
  return said;
}
