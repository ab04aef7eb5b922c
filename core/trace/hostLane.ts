/** The lane of a host thread, and of each thread that helps it with a multi-tensor copy. */
import type { Lane } from './trace.ts';

/** `helper` is 0 for the host thread itself. Helpers' lanes follow their thread's lane. */
export function hostLane(thread: string, helper = 0): Lane {
  const [id, name] = helper === 0 ? [thread, thread] : [`${thread}/${helper}`, `${thread}, helper ${helper}`];
  return { kind: 'host-thread', id: `thread:${id}`, name, device: '' };
}
