/** Keeps the address and the page the same: links, back and forward, and the page that was open last time. */
import { pageHash, parsePageHash } from './page.ts';
import { openPage } from './pages.ts';
import { parsePlace, useAskedPlace } from './place.ts';
import { recall } from './settings.ts';
import { assign, watch } from './store.ts';

export function startNavigation(): void {
  restorePage();
  window.addEventListener('popstate', () => {
    askPlace();
    openPage(parsePageHash(location.hash) ?? { kind: 'welcome' });
  });
}

/** Shows the page of the address, or else that of last time. */
export function restorePage(): void {
  const page = parsePageHash(location.hash) ?? parsePageHash(recall('page') ?? '');
  assign({ engine: recall('engine'), colourBy: recall('colour-by') === 'name' ? 'name' : 'kind' });
  askPlace();
  // Documents can be read once there is a host to read them from.
  const stop = watch((state) => {
    if (!state.libraryReady) return;
    stop();
    // Unless something was opened meanwhile.
    if (page !== null && pageHash(state.page) === pageHash(page)) openPage(page);
  });
  if (page !== null) assign({ page });
}

/** Whatever run the page shows: what a link selects is selected in it. */
const askPlace = (): void => useAskedPlace.setState({ place: parsePlace(location.hash, '') });
