const extensions = ['arrow', 'json', 'gz', 'copyscope'];

/** Filters of the open dialog. */
export const fileFilters = [
  { name: 'Runs, experiments, bundles and PyTorch traces', extensions },
  { name: 'All files', extensions: ['*'] },
];

/** Returns true if Copyscope opens files with this ending. */
export const opensFile = (path: string): boolean =>
  extensions.some((extension) => path.toLowerCase().endsWith(`.${extension}`));
