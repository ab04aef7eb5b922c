/** The only TypeScript that loads the addon. */
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../core/errors.ts';
import type { DeviceReport, Engine } from '../core/program/engine.ts';
import { type Addon, loadAddon } from './addon.ts';
import { NativeEngine, type NativeOptions } from './engine.ts';
import { reportFrom, reportWithoutAddon } from './report.ts';

export { type BlockCopyOptions, copyBlocks } from './copy/copyBlocks.ts';
export type { Dtype } from './copy/dtypes.ts';
export type { CopyStrategy, CopyTuning } from './copy/options.ts';
export { type CopyHandle, type CopyOptions, release, startCopy } from './copy/startCopy.ts';
export { CopyStream, currentStream, resetCurrentStream, setCurrentStream } from './copy/streams.ts';
export { DeviceTensor, HostTensor, type HostTensorInit, isPinned, pinnedBuffer } from './copy/tensors.ts';
export type { NativeOptions } from './engine.ts';

export interface Native {
  /** Asks the driver again. Never throws: a missing part is reported as a problem of the engine that needs it. */
  report(): DeviceReport;
  /** Its run() rejects with `native.not-built` without an addon, `native.no-…` if something else is missing. */
  engine(kind: 'cuda' | 'cpu', options?: NativeOptions): Engine;
}

let loaded: Native | undefined;

/** Loads the addon at the first call. Never throws. */
export function loadNative(): Native {
  loaded ??= makeNative(() => loadAddon());
  return loaded;
}

/** Does the same for the addon that `load` returns or fails to return. */
export function makeNative(load: () => Addon): Native {
  let addon: Addon;
  try {
    addon = load();
  } catch (thrown) {
    return withoutAddon(toErrorInfo(thrown, 'native.not-built'));
  }
  return {
    report: () => {
      try {
        return reportFrom(addon.report());
      } catch (thrown) {
        return reportWithoutAddon(toErrorInfo(thrown, 'native.report-failed'));
      }
    },
    engine: (kind, options) => new NativeEngine(addon, kind, options),
  };
}

function withoutAddon(problem: ErrorInfo): Native {
  return {
    report: () => reportWithoutAddon(problem),
    engine: (kind) => ({ kind, run: () => Promise.reject(new CopyscopeError(problem)) }),
  };
}
