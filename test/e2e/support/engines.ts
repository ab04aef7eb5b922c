/** Reads from the command line which engines the tested machine has. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { DeviceReport } from '../../../core/program/engine.ts';

const cli = join(import.meta.dirname, '../../../dist/host/cli.js');

function report(): DeviceReport {
  return JSON.parse(execFileSync(process.execPath, [cli, 'devices', '--json'], { encoding: 'utf8' })) as DeviceReport;
}

/** Returns the reason that an engine can't run here; null if it can. */
export function whyNot(kind: 'cuda' | 'cpu'): string | null {
  const status = report().engines.find((engine) => engine.kind === kind);
  if (status?.available === true) return null;
  return `no ${kind} engine here: ${status?.problem?.message ?? 'not reported'}`;
}
