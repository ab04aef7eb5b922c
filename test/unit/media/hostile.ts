/** Texts that try to change their meaning in a display or a reader. */
import fc from 'fast-check';

const pieces = [
  ...[
    '\n',
    '\r',
    '\r\n',
    '\u000b',
    '\f',
    '\u0085',
    '\u2028',
    '\u2029',
    '\0',
    '\u001b[2J',
    '\u001b]0;title\u0007',
    '\u009b31m',
  ],
  ...[
    '*/',
    '/*',
    '//',
    '\\',
    '\\\n',
    '\\ \n',
    '??/',
    '??/\n',
    '?\\',
    '"""',
    "'''",
    '"',
    "'",
    '");',
    '#',
    '\\N{BULLET}',
  ],
  ...[
    'coding: utf-7',
    '-*- coding: latin-1 -*-',
    '+AAo-raise+ACA-SystemExit+AAo-',
    'raise SystemExit',
    '%s%n',
    '{0}',
    '$(id)',
  ],
  ...['\ud800', '\udc00', '😀', '\u202e', '\u2066', '\u200f', '\ufeff', '\uffff', '\ufdd0', '\u0301', '\ufffe'],
  ...['::error::', '::stop-commands::x', '##[error]', '##vso[task]', ']]>', '<!--', '<script>', '&amp;', '](http://x)'],
  ...['=1+1', '+1', '@x', '\t=1', ',', ';', '\n=1', '`id`', ' ', ''],
];

export const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 6 })), { maxLength: 12 })
  .map((parts) => parts.join(''));

/** Every piece once, at the beginning and the end of a line. */
export const allPieces: string = pieces.map((piece) => `${piece}HACK()${piece}`).join('\n');
