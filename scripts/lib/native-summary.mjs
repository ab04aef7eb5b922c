/** Summary of the last native build, because npm shows a postinstall's output only if it fails. */
import { readFileSync } from 'node:fs';
import { inRoot } from './paths.mjs';

const infoFile = inRoot('native/build/build-info.json');
const again = 'npm run build:native';

/** Returns the record of scripts/build-native.mjs, or null if no build was tried. */
function readBuildInfo() {
  try {
    return JSON.parse(readFileSync(infoFile, 'utf8'));
  } catch {
    return null;
  }
}

/** Whether there is an addon at all. */
export const hasAddon = () => readBuildInfo()?.built === true;

/** Whether everything is there: both native engines. */
export const hasEveryEngine = () => readBuildInfo()?.withCuda === true;

/** Lines for a person: which engines there are, and how to get the others. */
export function nativeSummary() {
  const info = readBuildInfo();
  if (info?.built !== true) {
    return [
      `Native engines: NOT BUILT (${info?.reason ?? 'no build was tried'}). The simulator works without them.`,
      ...(info?.remedy ? [`  ${info.remedy}`] : []),
      `  ${again}`,
    ];
  }
  if (info.withCuda) return [`Native engines: built with CUDA ${info.cudaVersion}.`];
  const toolkitFailed = /failed/.test(info.reason ?? '');
  return [
    `Native engines: built WITHOUT CUDA (${info.reason ?? 'no toolkit was found'}). There is no cuda engine.`,
    toolkitFailed
      ? '  To see the errors of the compiler, and to have it once they are mended:'
      : "  To have it, install NVIDIA's CUDA toolkit (https://developer.nvidia.com/cuda-downloads), then:",
    `  ${again}`,
  ];
}
