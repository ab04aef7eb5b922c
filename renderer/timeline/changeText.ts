/** The effect of an edit as text. */
import { formatDuration, formatRange } from '../../core/units.ts';

const unitOf = (text: string): string => text.slice(text.indexOf(' ') + 1);

/** Returns '1.32 to 6.16 ms, +4.84'. The difference has a unit if its unit differs. */
export function changeText(beforeNs: number, afterNs: number): string {
  const range = formatRange(beforeNs, afterNs, formatDuration);
  const difference = formatDuration(Math.abs(afterNs - beforeNs));
  const [from, to] = [beforeNs, afterNs].map((value) => unitOf(formatDuration(value)));
  const isShared = from === to && to === unitOf(difference);
  const amount = isShared ? difference.slice(0, difference.indexOf(' ')) : difference;
  return `${range}, ${afterNs < beforeNs ? '−' : '+'}${amount}`;
}
