/** Finds files and texts that must not be in a package. */

const forbidden = [
  ['node_modules', /(^|\/)node_modules\//],
  ['a source', /\.(ts|tsx|cts|mts|cu|cpp|cc|h|hpp)$/],
  ['a source map', /\.map$/],
  ['a test', /(^|\/)(test|tests|__tests__)\/|\.(test|spec)\./],
  ['a secret or a local setting', /(^|\/)(\.env.*|\.npmrc|\.git.*|id_[a-z0-9]+|.*\.(pem|key|p12|pfx))$/],
] as const;

const secretText = /-----BEGIN [A-Z ]*PRIVATE KEY-----|\bnpm_[A-Za-z0-9]{36}\b|\bgh[pousr]_[A-Za-z0-9]{36}\b/;

/** Returns a reason for each file that doesn't belong in the package; empty if all do. */
export const misplaced = (files: readonly string[], allowed: RegExp): string[] =>
  files.flatMap((file) => [
    ...(allowed.test(file) ? [] : [`${file} does not belong in a package.`]),
    ...forbidden.filter(([, pattern]) => pattern.test(file)).map(([what]) => `${file} is ${what}.`),
  ]);

/** Returns which texts contain a secret or name one of the folders `localPaths`. */
export const textProblems = (
  texts: readonly (readonly [file: string, text: string])[],
  localPaths: readonly string[],
): string[] =>
  texts.flatMap(([file, text]) => [
    ...(secretText.test(text) ? [`${file} holds what looks like a secret.`] : []),
    ...localPaths
      .filter((path) => text.includes(path))
      .map((path) => `${file} names ${path}, a folder of this machine.`),
  ]);
