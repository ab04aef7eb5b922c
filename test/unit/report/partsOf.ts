/** Reads a report's file like its page. */
import { gunzipSync } from 'node:zlib';
import type { ReportDocument } from '../../../core/present/document.ts';

export interface ReportParts {
  readonly document: ReportDocument;
  /** Bytes of run files. */
  readonly runs: readonly Uint8Array[];
}

export function partsOf(html: string): ReportParts {
  const parts = [
    ...html.matchAll(/<script type="application\/octet-stream" id="report-(document|run-\d+)">([^<]*)<\/script>/g),
  ];
  const [first, ...runs] = parts.map(([, , text = '']) => new Uint8Array(gunzipSync(Buffer.from(text, 'base64'))));
  return { document: JSON.parse(new TextDecoder().decode(first)), runs };
}
