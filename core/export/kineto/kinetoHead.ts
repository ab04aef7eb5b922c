/** Header of a profiler's file: the device, the versions, and the start of its clock. */
import { type Run, runName } from '../../trace/run.ts';

export function headText(run: Run): string {
  const { info } = run;
  const { device, versions } = info;
  const members = {
    schemaVersion: 1,
    ...(device === null
      ? {}
      : {
          deviceProperties: [
            {
              // GPUs of an experiment are numbered anew: the events call the first one 0.
              id: info.imported === undefined ? 0 : device.index,
              name: device.name,
              totalGlobalMem: device.memoryBytes,
              ...capability(device.computeCapability),
              numSms: device.multiprocessors,
            },
          ],
        }),
    ...version('cuda_driver_version', versions.driver),
    ...version('cuda_runtime_version', versions.runtime),
    ...(/^\d+$/.test(versions.cupti ?? '') ? { cupti_version: Number(versions.cupti) } : {}),
    displayTimeUnit: 'ms',
    traceName: runName(info),
    copyscope: { version: versions.copyscope, engine: info.engine },
  };
  // Nanoseconds since 1970 have more digits than a double.
  const base = BigInt(Date.parse(info.createdAt)) * 1_000_000n;
  return `${JSON.stringify(members).slice(0, -1)},"baseTimeNanoseconds":${base},"traceEvents":[\n`;
}

function capability(text: string): object {
  const [, major, minor] = /^(\d+)\.(\d+)$/.exec(text) ?? [];
  return major === undefined ? {} : { computeMajor: Number(major), computeMinor: Number(minor) };
}

/** CUDA counts versions as 1000 * major + 10 * minor. */
function version(member: string, text: string | null): object {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(text ?? '') ?? [];
  return major === undefined ? {} : { [member]: Number(major) * 1000 + Number(minor) * 10 };
}
