/** Where the window's page lives. A scheme of our own, since module scripts don't load over file://. */
export const scheme = 'copyscope';
const appOrigin = `${scheme}://app`;
export const startPage = `${appOrigin}/`;

/** An address in its parts, or null where it is none. */
export const parseUrl = (address: string): URL | null => (URL.canParse(address) ? new URL(address) : null);

/** Whether an address is a page or file of the app itself. */
export function isAppUrl(address: string): boolean {
  const url = parseUrl(address);
  // Node gives custom schemes the origin "null", so scheme and host are compared.
  return url?.protocol === `${scheme}:` && url.host === 'app' && url.username === '' && url.port === '';
}

/** What the theme's messages are called, from page to main and back: the page keeps the theme, and the menu shows it. */
export const themeMessage = 'copyscope:theme';

/** What the menu's message is called, from main to page: the page opens the licences. */
export const licencesMessage = 'copyscope:licences';

/** What the port's message is called, from page to preload and from main to page. */
export const portMessage = 'copyscope:port';
