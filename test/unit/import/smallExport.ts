import { readFileSync } from 'node:fs';
import { globalId, made, table } from './nsightSupport.ts';

export const pageBytes = 512;

/** Writes a small export into `folder`, with many small pages in its tables. */
export function smallExport(folder: string): Uint8Array {
  const rows = Array.from({ length: 150 }, (_, index) => index);
  const work = { deviceId: 0, streamId: 7, globalPid: globalId(42) };
  const thread = { globalTid: globalId(42, 43) };
  const path = made(
    folder,
    [
      `PRAGMA page_size = ${pageBytes};`,
      table(
        'StringIds',
        rows.map((id) => ({ id, value: `name ${id} ${'x'.repeat(id)}` })),
      ),
      table(
        'CUPTI_ACTIVITY_KIND_RUNTIME',
        rows.map((at) => ({ start: at * 10, end: at * 10 + 5, ...thread, nameId: at, correlationId: at + 1 })),
      ),
      table(
        'CUPTI_ACTIVITY_KIND_KERNEL',
        rows.map((at) => ({ start: at * 10 + 6, end: at * 10 + 9, ...work, correlationId: at + 1, demangledName: at })),
      ),
      table(
        'CUPTI_ACTIVITY_KIND_MEMCPY',
        rows.map((at) => ({
          start: at * 9,
          end: at * 9 + 4,
          ...work,
          bytes: at,
          copyKind: 1 + (at % 2),
          correlationId: at,
        })),
      ),
      table(
        'NVTX_EVENTS',
        rows.map((at) => ({ start: at * 10, end: at * 10 + 9, eventType: 59, ...thread, text: `range ${at}` })),
      ),
    ].join('\n'),
  );
  return readFileSync(path);
}
