/** What a script can rely on: one exit code for each family of errors. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ExitCode, exitCodeOf, exitCodes } from '../../../host/cli/exitCodes.ts';
import { repository } from '../../unit/host/support/buildEntry.ts';

const { failed, badInput, unavailable, wrongData, hazards, gate, cancelled } = exitCodes;

/** Codes that a command can end with. */
const expected: Readonly<Record<string, ExitCode>> = {
  'usage.invalid': badInput,
  'usage.profile': badInput,
  'request.invalid': badInput,
  'file.not-found': badInput,
  'file.exists': badInput,
  'file.too-large': badInput,
  'experiment.invalid': badInput,
  'experiment.missing': badInput,
  'experiment.not-found': badInput,
  'template.invalid': badInput,
  'profile.invalid': badInput,
  'profile.not-found': badInput,
  'run-file.truncated': badInput,
  'trace-file.truncated': badInput,
  'trace.invalid': badInput,
  'notes.invalid': badInput,
  'run.not-found': badInput,
  'run.file-name': badInput,
  'sweep.invalid': badInput,
  'sweep.damaged': badInput,
  'sweep.not-found': badInput,
  'bundle.damaged': badInput,
  'bundle.truncated': badInput,
  'bundle.newer-version': badInput,
  'bundle.in-part': badInput,
  'bundle.empty': badInput,
  'bundle.too-large': badInput,
  'fit.no-runs': badInput,
  'fit.devices': badInput,
  'lift.not-a-trace': badInput,
  'export.no-iteration': badInput,
  'lift.no-host-calls': badInput,
  'lift.no-such-steps': badInput,
  'server.port-taken': badInput,
  'engine.unavailable': unavailable,
  'engine.unsupported': unavailable,
  'verification.failed': wrongData,
  'hazards.found': hazards,
  'gate.broken': gate,
  'gate.invalid': badInput,
  'gate.untold': badInput,
  'recording.busy': badInput,
  'report.no-page': failed,
  'run.cancelled': cancelled,
  'host.left': cancelled,
  'host.unreachable': unavailable,
  'host.not-set-up': unavailable,
  'host.other-version': unavailable,
  'host.no-node': unavailable,
  'host.no-ssh': unavailable,
  'host.unknown': badInput,
  'host.name': badInput,
  'host.unfetched': badInput,
  'host.failed': failed,
  'host.session-gone': failed,
  'host.disk-full': failed,
  'slurm.not-found': unavailable,
  'slurm.login-shell': unavailable,
  'slurm.settings': badInput,
  'slurm.list': badInput,
  'slurm.array-size': badInput,
  'slurm.unknown': badInput,
  'slurm.refused': failed,
  'slurm.damaged': failed,
  'slurm.ended': failed,
  'run.out-of-memory': failed,
  'simulation.deadlock': failed,
  'simulation.too-long': badInput,
  'sweep.failed-points': failed,
  'bench.failed': failed,
  'calibrate.failed': failed,
  'record.nothing': failed,
  'engine.lost': failed,
  internal: failed,
};

describe('the exit code', () => {
  it.each(Object.entries(expected))('of %s is %i', (code, exitCode) => {
    expect(exitCodeOf({ code, message: '' })).toBe(exitCode);
  });

  it('is decided for every family of errors that core and host know', () => {
    const sources = ['core', 'host'].flatMap((folder) =>
      readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts'))
        .map((path) => readFileSync(join(repository, folder, path), 'utf8')),
    );
    const families = sources.flatMap((text) => [...text.matchAll(/code: '([a-z-]+)\.[a-z-]+'/g)].map(([, one]) => one));
    const decided = new Set(Object.keys(expected).map((code) => code.split('.')[0]));
    // What only a window can meet.
    const ofWindows = ['bin', 'connection', 'deletion', 'edit', 'figure', 'import', 'lesson', 'message', 'results'];
    expect([...new Set(families)].filter((one) => !decided.has(one)).sort()).toEqual(ofWindows);
  });
});
