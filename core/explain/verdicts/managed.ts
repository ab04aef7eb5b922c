/** Finds kernels and accesses of the host that wait for pages of managed memory. Rule (core/rules): managed-pages. */
import { groupBy } from '../../groupBy.ts';
import { ManagedPages } from '../../machine/managed.ts';
import { accesses } from '../../program/accesses.ts';
import type { Instruction } from '../../program/program.ts';
import { type Activity, activity, makespan, rowsOfKind } from '../../trace/iteration.ts';
import { formatBytes, formatDuration } from '../../units.ts';
import { durationOf, type Scene } from './scene.ts';
import { evidenceRows, type Verdict } from './verdict.ts';

/** Less of the makespan than this isn't worth a verdict. */
const leastPart = 0.02;

interface Wait {
  readonly row: Activity;
  readonly buffer: string;
  readonly bytes: number;
  /** Whether the other side lost its copy of read-mostly pages. */
  readonly isSplit: boolean;
  /** Kernel that had the pages before the host. */
  readonly kernel: Activity | null;
}

/** Returns a verdict for each operation that waited for pages. */
export function pageWaits(scene: Scene): Verdict[] {
  const leastNs = leastPart * (makespan(scene.iteration) ?? 0);
  return [...groupBy(waitsIn(scene), ({ row }) => row.op).values()].flatMap((own) => {
    const [first] = own;
    const costNs = own.reduce((sum, { row }) => sum + durationOf(row), 0);
    return first === undefined || costNs < leastNs ? [] : verdictOf(scene, first, own, costNs);
  });
}

/** Follows the pages in the order in which work began. */
function waitsIn({ iteration, facts }: Scene): Wait[] {
  const { program } = facts;
  if (program === null || program.buffers.every(({ memory }) => memory !== 'managed')) return [];
  const pages = new ManagedPages(program);
  const instructions = groupBy(
    program.threads.flatMap((thread) => thread.instructions),
    ({ op }) => op,
  );
  const kinds = ['kernel', 'memset', 'copy', 'host-read', 'host-write', 'host-call'] as const;
  const rows = rowsOfKind(iteration, ...kinds).map((row) => activity(iteration.trace, row));
  const last = new Map<number, Activity>();
  return rows
    .sort((a, b) => a.startNs - b.startNs)
    .flatMap((row) => {
      const own = instructions.get(row.op) ?? [];
      // An operation with a moving offset is one instruction a round.
      const instruction = own.length > 1 ? own.shift() : own[0];
      return instruction === undefined ? [] : follow(pages, instruction, row, last);
    })
    .map((wait) => ({ ...wait, buffer: program.buffers[wait.at]?.id ?? '' }));
}

type Found = Omit<Wait, 'buffer'> & { readonly at: number };

/** `last`: the kernel that used each buffer last. */
function follow(pages: ManagedPages, one: Instruction, row: Activity, last: Map<number, Activity>): Found[] {
  const isCall = row.kind === 'host-call';
  if (one.code === 'advise') pages.advise(one.buffer, one.advice);
  if (one.code === 'allocate') pages.allocate(one.buffer);
  if (isCall) return [];
  if (one.code === 'prefetch') pages.use({ ...one, writes: false }, one.toDevice, true);
  const byDevice = !row.kind.startsWith('host');
  return accesses(one).flatMap(({ bytes, ...use }) => {
    const { moved, split } = pages.use({ ...use, bytes: bytes ?? 0 }, byDevice);
    const kernel = byDevice ? null : (last.get(use.buffer) ?? null);
    if (byDevice) last.set(use.buffer, row);
    const waited = { row, at: use.buffer, bytes: moved + split, isSplit: split > moved, kernel };
    return waited.bytes === 0 ? [] : waited;
  });
}

function verdictOf(
  scene: Scene,
  { row, buffer, kernel, isSplit }: Wait,
  own: readonly Wait[],
  costNs: number,
): Verdict {
  const isKernel = !row.kind.startsWith('host');
  const bytes = formatBytes(own.reduce((sum, one) => sum + one.bytes, 0));
  const label = scene.facts.label(row.op) ?? row.name;
  return {
    ...{ op: row.op, id: scene.facts.info(row.op)?.id ?? null, row: row.row, device: row.device, label, line: null },
    subject: isKernel ? 'kernel' : 'host-call',
    ...{ cause: 'managed-pages', also: [], rule: 'managed-pages' },
    ...{ with: null, withLabel: null, blockedBy: kernel?.op ?? null, hostCall: isKernel ? null : label },
    ...{ needsData: null, copyNs: costNs, costNs, sameGainAs: null, pinnedNs: null },
    ...{ overlapNs: 0, share: 0, shareOfCopy: 0, occurrences: own.length, overlappedOccurrences: 0 },
    evidence: evidenceRows(
      isKernel
        ? [
            ['kernel', row],
            ['kernel-call', scene.callOf(row)],
          ]
        : [
            ['holding-call', row],
            ['blocking-operation', kernel],
          ],
    ),
    title: isKernel ? 'Kernel waits for pages' : 'Host waits for pages',
    explanation: `${bytes} of "${buffer}" lay ${isKernel ? 'on the host' : 'on the device'} when "${label}" touched them. It waited for their pages, and took ${formatDuration(costNs)} with its own work.`,
    remedy: `Prefetch it to the ${isKernel ? 'device before the kernel' : 'host after the kernel'}.`,
    ...(isSplit && {
      title: 'Write to read-mostly pages',
      explanation: `${bytes} of "${buffer}" lay on both sides when "${label}" wrote them. The other copies were ended page by page, and it took ${formatDuration(costNs)} with its own work.`,
      remedy: `Take the advice read-mostly from "${buffer}".`,
    }),
  };
}
