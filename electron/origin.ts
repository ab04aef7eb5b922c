/** The scheme of the window's page. It is our own, since module scripts don't load over file://. */
export const scheme = 'copyscope';
const appOrigin = `${scheme}://app`;
export const startPage = `${appOrigin}/`;

/** Returns the parsed address, or null if it is invalid. */
export const parseUrl = (address: string): URL | null => (URL.canParse(address) ? new URL(address) : null);

/** Returns true if an address is a page or file of the app itself. */
export function isAppUrl(address: string): boolean {
  const url = parseUrl(address);
  // Node gives custom schemes the origin "null", so scheme and host are compared.
  return url?.protocol === `${scheme}:` && url.host === 'app' && url.username === '' && url.port === '';
}

/** Name of the theme's messages between page and main process: the page keeps the theme, and the menu shows it. */
export const themeMessage = 'copyscope:theme';

/** Name of the menu's message from main process to page, with the id of the command to run. */
export const commandMessage = 'copyscope:command';

/** Name of the port's message, from page to preload and from main process to page. */
export const portMessage = 'copyscope:port';
