/** Devices and engines, with the problem of each that can't run. */
import type { ErrorInfo } from '../core/errors.ts';
import type { DeviceReport, EngineStatus } from '../core/program/engine.ts';
import type { AddonReport } from './addon.ts';

const simulator: EngineStatus = { kind: 'sim', available: true };

/** Returns the report if there is no addon. */
export function reportWithoutAddon(problem: ErrorInfo): DeviceReport {
  return {
    devices: [],
    driverVersion: null,
    runtimeVersion: null,
    cupti: { found: false, detail: problem.message, version: null },
    engines: [{ kind: 'cuda', available: false, problem }, { kind: 'cpu', available: false, problem }, simulator],
  };
}

export function reportFrom(addon: AddonReport): DeviceReport {
  const problem = cudaProblem(addon);
  const cuda: EngineStatus =
    problem === null ? { kind: 'cuda', available: true } : { kind: 'cuda', available: false, problem };
  return {
    devices: addon.devices.map((device) => ({
      ...device,
      linkGeneration: device.linkGeneration || null,
      linkWidth: device.linkWidth || null,
    })),
    driverVersion: cudaVersion(addon.driverVersion),
    runtimeVersion: cudaVersion(addon.runtimeVersion),
    cupti: {
      found: addon.cuptiFound,
      detail: addon.cuptiDetail,
      version: addon.cuptiVersion === 0 ? null : addon.cuptiVersion,
    },
    engines: [cuda, { kind: 'cpu', available: true }, simulator],
  };
}

/** Returns '13.0' for CUDA's 13000; null for 0. */
function cudaVersion(version: number): string | null {
  return version === 0 ? null : `${Math.floor(version / 1000)}.${Math.floor((version % 1000) / 10)}`;
}

/** Returns the reason why the CUDA engine can't run, or null. */
export function cudaProblem(addon: AddonReport): ErrorInfo | null {
  if (!addon.withCuda) {
    return {
      code: 'native.no-cuda-build',
      message: 'The native addon was built without CUDA.',
      remedy: 'Install the CUDA toolkit (or set CUDA_HOME) and run: npm run build:native',
    };
  }
  if (addon.driverVersion === 0) {
    return {
      code: 'native.no-driver',
      message: 'There is no NVIDIA driver on this machine.',
      remedy: 'Install the driver for your GPU, or run on the CPU engine or the simulator.',
    };
  }
  if (addon.devices.length > 0) return null;
  const reason = addon.error === '' ? '' : ` CUDA says: ${addon.error}`;
  return {
    code: 'native.no-device',
    message: `The NVIDIA driver shows no usable GPU.${reason}`,
    remedy: 'Look at what nvidia-smi shows, and at CUDA_VISIBLE_DEVICES.',
  };
}
