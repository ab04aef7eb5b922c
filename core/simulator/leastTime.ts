/** What an iteration takes at least: as long as its busiest host thread, and as the work of its busiest stream. */
import type { ThreadPlan } from './plan.ts';

export function leastNs(plan: readonly ThreadPlan[]): number {
  const streams = new Map<number, number>();
  let most = 0;
  for (const { steps } of plan) {
    const rounds = [1];
    let callsNs = 0;
    for (const { code, count, callNs, stream, deviceNs, pieces, lastPieceNs, captured } of steps) {
      const times = rounds.at(-1) ?? 1;
      if (code === 'repeat') rounds.push(times * count);
      else if (code === 'endRepeat') rounds.pop();
      callsNs += times * callNs;
      if (stream < 0 || captured) continue;
      const workNs = pieces > 1 ? (pieces - 1) * deviceNs + lastPieceNs : deviceNs;
      streams.set(stream, (streams.get(stream) ?? 0) + times * workNs);
    }
    most = Math.max(most, callsNs);
  }
  return Math.max(most, ...streams.values());
}
