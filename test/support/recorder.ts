/** The recorder's library with a stand-in for CUPTI, and the program that plays CUDA with it: built if possible. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { built, isThere, missingTools } from '../native/built.ts';

export const works = isThere;
const missing = missingTools();
const headers = ['/usr/local/cuda/include/cupti.h', `${process.env['CUDA_HOME'] ?? ''}/include/cupti.h`].some(
  existsSync,
);

/** Reason that they can't be built here; null if they can. */
export const noRecorder =
  process.platform !== 'linux'
    ? `not run on ${process.platform}`
    : missing.length > 0
      ? `there is no ${missing.join(' and no ')}`
      : headers
        ? null
        : "there are no headers of CUPTI: they come with CUDA's toolkit";

const made = [
  'copyscope_record',
  'copyscope_record_player',
  'copyscope_standin_allocator',
  'copyscope_standin_autograd',
  'copyscope_standin_program',
];

/** Builds them and returns their folder. Throws the compiler's messages if that fails. */
export const buildRecorder = (): string => built('record', made);

/** Returns the environment of a host or a command that records with them. */
export const standInEnvironment = (built: string): Readonly<Record<string, string>> => ({
  LD_LIBRARY_PATH: join(built, 'standin'),
  COPYSCOPE_RECORD_LIBRARY: join(built, 'libcopyscope_record.so'),
  COPYSCOPE_RECORD_DRIVER: '1',
});

export const player = (built: string): string => join(built, 'copyscope_record_player');
