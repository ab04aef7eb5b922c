/** Returns how much of a sweep was done when its report was made, while it ran or after it was stopped. */
export function reachedWords(points: readonly { readonly status: 'done' | 'failed' }[], planned: number): string {
  const failed = points.filter(({ status }) => status === 'failed').length;
  const all = `${planned} ${planned === 1 ? 'point' : 'points'}`;
  const reached = points.length < planned ? `${points.length} of ${all} were reached when this was made` : all;
  return `${reached}${failed === 0 ? '' : `, of which ${failed} failed`}.`;
}
