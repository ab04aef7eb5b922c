/** Every kind of file that opens, for the message about other files. */
import { CopyscopeError } from '../errors.ts';
import { newTextDecoder } from './platform.ts';

const kinds = [
  'an experiment, a sweep or a benchmark (.json)',
  'a run (.arrow)',
  'a bundle (.copyscope)',
  'a trace of PyTorch’s profiler (.json, .json.gz)',
  'an export or a report of Nsight Systems (.sqlite, .nsys-rep)',
  'a recording of copyscope record (.cprec)',
];

export const unknownKind = (name: string): CopyscopeError =>
  new CopyscopeError({
    code: 'file.unknown-kind',
    message: `${name} is no file that Copyscope opens.`,
    remedy: `Open ${kinds.slice(0, -1).join(', ')}, or ${kinds.at(-1)}.`,
  });

const arrowMagic = 'ARROW1';

export const looksLikeArrow = (file: Uint8Array): boolean =>
  [...arrowMagic].every((letter, index) => file[index] === letter.charCodeAt(0));

/** Returns whether it looks like an experiment, by its name (so that JSON errors are reported) or its beginning. */
export const looksLikeExperiment = (name: string, head: Uint8Array): boolean =>
  /\.json$/i.test(name) || newTextDecoder().decode(head).trimStart().startsWith('{');
