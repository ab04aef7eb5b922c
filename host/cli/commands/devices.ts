/** `copyscope devices`: the GPUs of this machine, and the needs of each engine. */
import { describeError } from '../../../core/errors.ts';
import type { DeviceReport, EngineStatus } from '../../../core/program/engine.ts';
import type { DeviceInfo } from '../../../core/trace/run.ts';
import { formatBytes } from '../../../core/units.ts';
import type { EngineSupervisor } from '../../engine/supervisor.ts';
import type { Colors, Context } from '../io.ts';
import { table } from '../render/text.ts';

export async function devices({ terminal }: Context, engine: EngineSupervisor, json: boolean): Promise<void> {
  const report = await engine.report();
  if (json) await terminal.json(report);
  else terminal.out(describeReport(report, terminal.colors));
}

export function describeReport(report: DeviceReport, colors: Colors): string[] {
  const { driverVersion, runtimeVersion, cupti } = report;
  return [
    ...(report.devices.length === 0 ? ['No CUDA device found.'] : report.devices.flatMap(describeDevice)),
    '',
    ...table([
      ['Driver (CUDA)', driverVersion ?? 'none'],
      ['Runtime (CUDA)', runtimeVersion ?? 'none'],
      ['CUPTI', cupti.found ? `${cupti.version ?? ''} ${cupti.detail}`.trim() : `not found: ${cupti.detail}`],
    ]),
    '',
    ...report.engines.map((engine) => describeEngine(engine, colors)),
  ];
}

function describeDevice(device: DeviceInfo): string[] {
  const link =
    device.linkGeneration === null
      ? 'unknown'
      : `PCI Express ${device.linkGeneration}${device.linkWidth === null ? '' : ` x${device.linkWidth}`}`;
  return table([
    [`cuda:${device.index}`, device.name],
    ['', `compute capability ${device.computeCapability}, ${device.multiprocessors} multiprocessors`],
    ['', `${formatBytes(device.memoryBytes)} of memory, ${device.asyncEngineCount} copy engines`],
    ['', `link ${link}, at ${device.pciBusId}`],
  ]);
}

function describeEngine({ kind, available, problem }: EngineStatus, colors: Colors): string {
  if (available) return `${colors.green('[available]')}      ${kind}`;
  return `${colors.yellow('[not available]')}  ${kind}: ${problem === undefined ? 'no reason given' : describeError(problem)}`;
}
