/**
 * Traces drawn as text, so that a test shows what it is about:
 *
 *   drawTrace({
 *     rows: { C: { kind: 'copy', op: 0, … }, K: { kind: 'kernel', op: 1 }, c: { kind: 'host-call', op: 0 } },
 *     lanes: ['thread:main   cc....', 'stream:side   .CCCCC', 'stream:main   ..KK..'],
 *   })
 *
 * One character is `tickNs` nanoseconds (1000 by default). A run of one letter is one row; the same letter further on
 * is another; anything that isn't a letter of `rows` is idle time. '|' before a letter would end a run early: use a
 * second letter instead.
 */
import { TraceBuilder } from '../../../core/trace/builder.ts';
import type { ChannelType, CopyDirection, MemoryKind, RowKind, Trace } from '../../../core/trace/trace.ts';

export interface DrawnRow {
  readonly kind: RowKind;
  readonly op?: number;
  readonly name?: string;
  readonly bytes?: number;
  readonly src?: MemoryKind;
  readonly dst?: MemoryKind;
  /** Copy engine of the stream's device ('h2d', 'd2h' or 'd2d'), or its compute lane. */
  readonly engine?: CopyDirection | 'compute';
  readonly channel?: number;
  readonly channelType?: ChannelType;
  readonly correlation?: number;
}

export interface Drawing {
  readonly rows: Readonly<Record<string, DrawnRow>>;
  /** '<lane id> <cells>': thread:main, or stream:side, or stream:side@gpu1 for a stream of another device than gpu. */
  readonly lanes: readonly string[];
  readonly tickNs?: number;
  readonly iteration?: number;
}

export function drawTrace(...drawings: readonly Drawing[]): Trace {
  const builder = new TraceBuilder();
  for (const drawing of drawings) for (const line of drawing.lanes) drawLane(builder, drawing, line);
  return builder.build();
}

function drawLane(builder: TraceBuilder, { rows, tickNs = 1000, iteration = 0 }: Drawing, line: string): void {
  const [, id = '', device = 'gpu', cells = ''] = /^(\S+?)(?:@(\S+))?\s+(\S.*)$/.exec(line) ?? [];
  const thread = id.startsWith('thread:');
  const name = id.slice(id.indexOf(':') + 1).replaceAll('_', ' ');
  const lane = builder.lane({
    kind: thread ? 'host-thread' : 'stream',
    id: id.replaceAll('_', ' '),
    name,
    device: thread ? '' : device,
  });
  for (const { index, 0: run } of cells.matchAll(/([A-Za-z])\1*/g)) {
    const row = rows[run.charAt(0)];
    if (row === undefined) throw new Error(`no row is declared for "${run.charAt(0)}"`);
    const { engine, name: rowName = row.kind, ...rest } = row;
    builder.add({
      ...rest,
      name: rowName,
      lane,
      iteration,
      startNs: index * tickNs,
      durationNs: run.length * tickNs,
      ...(engine === undefined ? {} : { engine: engineLane(builder, engine, device) }),
    });
  }
}

function engineLane(builder: TraceBuilder, engine: CopyDirection | 'compute', device: string): number {
  return engine === 'compute'
    ? builder.lane({ kind: 'compute', id: `compute:${device}`, name: 'Compute', device })
    : builder.lane({
        kind: 'copy-engine',
        id: `engine:${device}:${engine}`,
        name: `${engine.toUpperCase()} engine`,
        device,
        direction: engine,
      });
}
