const extensions = ['arrow', 'json', 'gz', 'copyscope'];

/** The files that the open dialog offers. */
export const fileFilters = [
  { name: 'Runs, experiments, bundles and PyTorch traces', extensions },
  { name: 'All files', extensions: ['*'] },
];

/** Returns true if Copyscope opens files whose names end like this one. */
export const opensFile = (path: string): boolean =>
  extensions.some((extension) => path.toLowerCase().endsWith(`.${extension}`));
