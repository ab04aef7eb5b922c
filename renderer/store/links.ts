/** The link that was followed and waits for an answer. */
import { create } from 'zustand';
import type { LinkOffer } from '../../core/service/service.ts';
import { attempt, host } from './host.ts';
import { openPage } from './pages.ts';

export const useLinks = create<{ readonly offer: LinkOffer | null }>()(() => ({ offer: null }));

/**
 * A page can follow many links in a second. While one is asked about, others are let go: what is asked never changes under the
 * hand that answers, and comes to an end.
 */
export function onLinkOffered(offer: LinkOffer): void {
  if (useLinks.getState().offer === null) useLinks.setState({ offer });
}

/** Opens what it names, or nothing. */
export async function answerLink(open: boolean): Promise<void> {
  const { offer } = useLinks.getState();
  if (offer === null) return;
  useLinks.setState({ offer: null });
  if (open && offer.kind === 'example') openPage({ kind: 'example', id: offer.id });
  if (open && offer.kind === 'lesson') openPage({ kind: 'lesson', id: offer.id, step: 0 });
  await attempt('The file could not be opened', () => host().answerLink(offer.ticket, open));
}
