/** `copyscope bench`: what this machine's GPU, link and driver can do, measured. */
import { join } from 'node:path';
import { hasFailures } from '../../../core/bench/comparison.ts';
import type { BenchDocument, BenchSection } from '../../../core/bench/document.ts';
import { benchSections } from '../../../core/bench/document.ts';
import { benchPlan, defaultSamples, defaultSizes } from '../../../core/bench/plan.ts';
import { benchTables } from '../../../core/bench/table.ts';
import { CopyscopeError, describeError } from '../../../core/errors.ts';
import type { DeviceReport } from '../../../core/program/engine.ts';
import { pytorchPeer } from '../../bench/pytorch.ts';
import { runBench } from '../../bench/runBench.ts';
import type { EngineSupervisor } from '../../engine/supervisor.ts';
import { programVersion } from '../../paths.ts';
import { writeWhole } from '../../service/files.ts';
import type { Context } from '../io.ts';
import { statusLine } from '../progress.ts';
import { drawBench } from '../render/bench.ts';

export interface BenchCommandOptions {
  readonly only?: readonly BenchSection[] | undefined;
  readonly size?: readonly number[] | undefined;
  readonly iterations?: number | undefined;
  readonly json: boolean;
  readonly out?: string | undefined;
  readonly comparePytorch: boolean;
}

export async function bench(context: Context, engine: EngineSupervisor, options: BenchCommandOptions): Promise<void> {
  const { terminal, program, signal } = context;
  const report = await engine.report();
  const device = requireGpu(report);
  const plan = benchPlan(
    {
      sections: options.only ?? benchSections,
      sizes: options.size ?? defaultSizes,
      samples: options.iterations ?? defaultSamples,
    },
    report.devices.length,
  );
  const line = statusLine(terminal);
  const document = await runBench(
    plan,
    { version: programVersion(program), report, device },
    {
      signal,
      onProgress: (done, total, { section, row, column }) => line.show(`${done}/${total} ${section} ${row} ${column}`),
      measure: (measurement, cancel) => engine.measure(measurement, cancel),
      peer: options.comparePytorch ? pytorchPeer({ script: join(program, 'assets/bench/pytorch.py') }) : null,
    },
  ).finally(line.clear);
  // Printed first: a file that can't be written costs no figure.
  if (options.json) await terminal.json(document);
  else terminal.out(drawBench(document, benchTables(document), terminal.colors));
  if (options.out !== undefined) await writeWhole(options.out, `${JSON.stringify(document, null, 2)}\n`);
  requireGood(document);
}

/** There is nothing to measure without a GPU, and figures of the CPU engine would say nothing about one. */
function requireGpu({ engines, devices }: DeviceReport): DeviceReport['devices'][number] {
  const cuda = engines.find(({ kind }) => kind === 'cuda');
  const [device] = devices;
  if (cuda?.available === true && device !== undefined) return device;
  const problem = cuda?.problem;
  throw new CopyscopeError({
    code: 'engine.unavailable',
    message: `A benchmark needs a GPU: ${problem === undefined ? 'none was found.' : describeError(problem)}`,
    remedy: 'The CPU engine is not measured instead: its times say nothing about a GPU.',
  });
}

function requireGood(document: BenchDocument): void {
  if (document.status === 'cancelled') {
    throw new CopyscopeError({ code: 'run.cancelled', message: 'The benchmark was cancelled.' });
  }
  const wrong = document.rows.find(({ error }) => error?.code === 'verification.failed');
  if (wrong?.error !== undefined) throw new CopyscopeError(wrong.error);
  if (!hasFailures(document)) return;
  throw new CopyscopeError({ code: 'bench.failed', message: 'Not everything could be measured.' });
}
