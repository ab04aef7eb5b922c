/** The files that the open dialog offers. */
export const fileFilters = [
  { name: 'Runs, experiments, bundles and PyTorch traces', extensions: ['arrow', 'json', 'gz', 'copyscope'] },
  { name: 'All files', extensions: ['*'] },
];
