/** What scripts/build-native.mjs left to say about the native engines. */
import { readFileSync } from 'node:fs';
import { inRoot } from './paths.mjs';

export const buildInfoFile = inRoot('native/build/build-info.json');

/** The record of the last native build, or null where none was tried. */
export function readBuildInfo() {
  try {
    return JSON.parse(readFileSync(buildInfoFile, 'utf8'));
  } catch {
    return null;
  }
}
