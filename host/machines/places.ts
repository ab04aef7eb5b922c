/** Where things are on another machine: one folder of its user, with a folder for each build of the program in it. */

/** Below the home there. In shell words of double quotes. */
export const baseFolder = '$HOME/.local/share/copyscope-host';

export const programPath = (build: string): string => `${baseFolder}/programs/${build}`;

/** `engine`: a keeper whose engine is wanted at once. Exits with `endings.notSetUp` where that build isn't there. `idleMs`: how long the keeper waits for a line without work. */
export const attachCommand = (
  build: string,
  session: string,
  how: 'engine' | 'new' | 'again',
  idleMs: number,
): string =>
  `f="${programPath(build)}/start"; test -r "$f" || exit 93; exec sh "$f" attach ${session} ${how} ${idleMs}`;
