/** Keeps address and page equal: links, back and forward, and the page of the last visit. */
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

/** Shows the page of the address, or else that of the last visit. */
export function restorePage(): void {
  const page = parsePageHash(location.hash) ?? parsePageHash(recall('page') ?? '');
  assign({ engine: recall('engine'), colourBy: recall('colour-by') === 'name' ? 'name' : 'kind' });
  askPlace();
  // Documents can be read once there is a host.
  const stop = watch((state) => {
    if (!state.libraryReady) return;
    stop();
    // The user may have opened another page by then.
    if (page !== null && pageHash(state.page) === pageHash(page)) openPage(page);
  });
  if (page !== null) assign({ page });
}

/** Asks for the link's selection in whatever run the page shows. */
const askPlace = (): void => useAskedPlace.setState({ place: parsePlace(location.hash, '') });
