/**
 * What a descent may turn: every number of a profile by itself, and tables at a few sizes, between which a turn fades.
 * A turn is the logarithm of a factor, so that nothing changes its sign, and 0 leaves everything as it is.
 */
import type { DeviceProfile } from '../../simulator/profile.ts';
import { ascending } from '../corrections.ts';
import { type Draft, put, valueAt, wholeParameters } from '../paths.ts';

export interface Knob {
  /** As 'calls.launchNs', or of a table 'copies.h2d.pinned.device @ 65536'. */
  readonly name: string;
  readonly path: string;
  /** Null for a number; of a table the place at which the turn is whole. */
  readonly place: number | null;
}

const KiB = 1024;
const MiB = 1024 * KiB;
/** Latency, what is between, and bandwidth. */
const sizePlaces: readonly number[] = [4 * KiB, 64 * KiB, MiB, 16 * MiB, 256 * MiB];
const nodePlaces: readonly number[] = [10, 1000];

/** Facts, and what the machine's own rules fix. */
const fixed: readonly RegExp[] = [
  ...[/^device\./, /^version$/, /^measurements/, /^staging\.(slots|chunkBytes|inlineBytes)$/, /^kernel\.concurrent$/],
  // The largest copies tell it.
  /^link\.(h2d|d2h)BytesPerSecond$/,
  // A table only serves what is shown beside a run, and copies in graphs.
  ...[/^host\.(cached|near)\.bytes$/, /^recorder\./, /^host\.stepGapNs$/, /^calls\.launchWarmNs$/, /^queue\.depth$/],
  ...[/^kernel\.(raggedCopyNs|fillBytes|\w+LeavesAtPart)$/, /^link\.(besideMappedPart|mappedBacklogNs)$/],
  /^queue\.(turnNs|commandCopyBytes|idleCommandCopyBytes)$/,
  // Rows tell them together with others, and fits had turned them to make up for those.
  ...[/^(link|host)\.freshFactor$/, /^calls\.(coldFirstNs|otherNs)$/],
  // Recorded kernels tell 3 to 5.2 us, and a fit had turned it to 7.3 to make up for other things.
  /^kernel\.arithmeticBesideCopyNs$/,
];

export function knobsOf(profile: DeviceProfile): Knob[] {
  const knobs: Knob[] = [];
  const look = (value: unknown, path: string): void => {
    if (fixed.some((pattern) => pattern.test(path)) || value === null) return;
    if (typeof value === 'number' && value > 0) knobs.push({ name: path, path, place: null });
    else if (Array.isArray(value)) knobs.push(...tableKnobs(value as Draft[], path));
    else if (typeof value === 'object') {
      for (const [key, inner] of Object.entries(value)) look(inner, path === '' ? key : `${path}.${key}`);
    }
  };
  look(profile, '');
  return knobs;
}

function tableKnobs(points: readonly Draft[], path: string): Knob[] {
  if (points.some((point) => 'share' in point)) {
    // What all multiprocessors do together is a parameter of its own.
    const shares = points.map(({ share }) => Number(share)).filter((share) => share < 1);
    return shares.map((share) => ({ name: `${path} @ ${share}`, path, place: share }));
  }
  // However many threads copy, what they reach together grows with them: one turn for all.
  if (points.some((point) => 'threads' in point)) return [{ name: path, path, place: 1 }];
  const places = points.some((point) => 'nodes' in point) ? nodePlaces : sizePlaces;
  return places.map((place) => ({ name: `${path} @ ${place}`, path, place }));
}

/** The profile with some knobs turned. */
export function turned(profile: DeviceProfile, knobs: readonly Knob[], turns: Float64Array): DeviceProfile {
  const draft = { ...profile } as unknown as Draft;
  const copied = new Set<string>();
  for (const path of new Set(knobs.filter((_, index) => turns[index] !== 0).map((knob) => knob.path))) {
    ownSections(draft, path, copied);
    const own = knobs.flatMap((knob, index) =>
      knob.path === path ? [{ place: knob.place, by: turns[index] ?? 0 }] : [],
    );
    const known = valueAt(draft, path);
    put(
      draft,
      path,
      Array.isArray(known) ? turnedTable(known as Draft[], own) : turnedNumber(path, Number(known), own),
    );
  }
  return draft as unknown as DeviceProfile;
}

interface Turn {
  readonly place: number | null;
  readonly by: number;
}

/** What lies on the way to `path` is copied once, so that the profile that was given stays. */
function ownSections(draft: Draft, path: string, copied: Set<string>): void {
  let place = draft;
  const steps = path.split('.').slice(0, -1);
  steps.forEach((step, index) => {
    const name = steps.slice(0, index + 1).join('.');
    if (!copied.has(name)) place[step] = { ...(place[step] as Draft) };
    copied.add(name);
    place = place[step] as Draft;
  });
}

/** The schema's limits, which a turn of a few times never comes near, hold for numbers that were near them before. */
const mostNs = 1e15;
const mostPerSecond = 1e18;

function turnedNumber(path: string, known: number, turns: readonly Turn[]): number {
  const value = known * Math.exp(turns[0]?.by ?? 0);
  if (wholeParameters.has(path)) return Math.max(1, Math.round(value));
  // How many times as long something takes is never less than once.
  if (path.endsWith('Factor')) return Math.max(1, value);
  return Math.min(value, path.endsWith('PerSecond') ? mostPerSecond : mostNs);
}

function turnedTable(points: readonly Draft[], turns: readonly Turn[]): Draft[] {
  const key = ['share', 'nodes', 'threads', 'bytes'].find((one) => points.some((point) => one in point)) ?? 'bytes';
  const name = { share: 'part', threads: 'bytesPerSecond' }[key] ?? 'ns';
  const values = points.map((point) => {
    const place = Number(point[key]);
    const by = key === 'share' ? (turns.find((turn) => turn.place === place)?.by ?? 0) : between(turns, place);
    return { place, value: Math.min(Number(point[name]) * Math.exp(by), key === 'share' ? 1 : mostNs) };
  });
  const ordered = key === 'bytes' || key === 'nodes' ? ascending(values) : values;
  return ordered.map(({ place, value }) => ({ [key]: place, [name]: value }));
}

/** Straight on the logarithm of the place between two knobs, and as the outermost one beyond. */
function between(turns: readonly Turn[], place: number): number {
  const above = turns.findIndex((turn) => (turn.place ?? 0) >= place);
  const [next, last] = [turns[above], above < 0 ? turns.at(-1) : turns[above - 1]];
  if (next === undefined || last === undefined) return (next ?? last)?.by ?? 0;
  const part = Math.log(place / (last.place ?? 1)) / Math.log((next.place ?? 1) / (last.place ?? 1));
  return last.by + part * (next.by - last.by);
}
