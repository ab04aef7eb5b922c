/** Returns a file name that every system accepts: 'copyscope-pinned-side-stream.copyscope'. */
export function bundleName(what: string): string {
  const plain = what
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '');
  return `${plain === '' ? 'library' : plain}.copyscope`;
}
