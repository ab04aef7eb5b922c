/** `copyscope bench`: measures this machine as calibrate does, and prints the figures without keeping a profile. */

import { CopyscopeError, describeError } from '../../../core/errors.ts';
import { defaultProfile } from '../../../core/machine/cost/simEngine.ts';
import type { DeviceProfile } from '../../../core/machine/profile/profile.ts';
import { isParameterName, parameterOf } from '../../../core/machine/profile/registry.ts';
import { formatBytes, formatDuration, formatRate } from '../../../core/units.ts';
import { type Calibration, calibrateEngine } from '../../calibrate/calibrateEngine.ts';
import { statusLine } from '../progress.ts';
import { limited, table } from '../render/text.ts';
import type { Tools } from './run.ts';

export interface BenchOptions {
  readonly quick: boolean;
  readonly json: boolean;
}

export async function bench({ context, engine, assets }: Tools, { quick, json }: BenchOptions): Promise<void> {
  const { terminal, signal } = context;
  const line = statusLine(terminal);
  const request = { engine: 'cuda', base: await assets.readProfile(defaultProfile), quick } as const;
  const onProgress = (done: number, total: number, what: string): void =>
    line.show(`Measuring ${done}/${total}: ${what}`);
  const found = await calibrateEngine(request, { engine, assets, signal, onProgress }).finally(line.clear);
  if (json) await terminal.json(documentOf(found));
  else terminal.out([terminal.colors.bold(found.device ?? ''), ...drawFigures(found)]);
  if (found.failed.length > 0)
    throw new CopyscopeError({ code: 'bench.failed', message: 'Not everything could be measured.' });
}

type Measurement = NonNullable<DeviceProfile['measurements']>[number];

const documentOf = ({ device, profile: { measurements = [] }, failed }: Calibration) => ({
  format: 'copyscope/bench',
  version: 2,
  createdAt: new Date().toISOString(),
  device,
  measurements: measurements.map((one) => ({ ...one, unit: unitOf(one) })),
  failed,
});

export const drawFigures = ({ profile: { measurements = [] }, failed }: Calibration): string[] => [
  ...table([['Measured', 'Median', 'Least', 'Most', 'Samples'], ...measurements.map(row)]),
  ...limited(failed.map(({ probe, error }) => `Not measured: ${probe}: ${describeError(error)}`)),
];

const row = (one: Measurement): string[] => [
  one.parameter,
  ...[one.median, one.least, one.most].map((value) => formatIn(unitOf(one), value)),
  String(one.samples),
];

type Unit = ReturnType<typeof parameterOf>['unit'];

/** Returns the unit. The name of a table's point begins with its parameter: 'copies.h2d.pinned @ 4096 bytes'. */
function unitOf({ parameter }: Measurement): Unit | undefined {
  const [name = ''] = parameter.split(' @ ');
  return isParameterName(name) ? parameterOf(name).unit : undefined;
}

function formatIn(unit: Unit | undefined, value: number): string {
  switch (unit) {
    case 'ns':
      return formatDuration(value);
    case 'B/s':
      return formatRate(value);
    case 'B':
      return formatBytes(Math.round(value));
    case 'flop/s':
      return `${(value / 1e12).toFixed(1)} Tflop/s`;
    default:
      return String(Math.round(value * 1000) / 1000);
  }
}
