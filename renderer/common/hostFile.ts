/** A file that the host serves to this window, as its workers can ask for it too. */
export interface HostFile {
  readonly address: string;
  /** The secret that the server wants to see; null in the desktop app, which serves its own page only. */
  readonly session: string | null;
}

/** Headers that show a session's secret. */
export const sessionHeaders = (session: string | null): Readonly<Record<string, string>> =>
  session === null ? {} : { Authorization: `Bearer ${session}` };

/** Rejects as fetch() does. Sends no cookies, since those that a page of another port has set may be too many. */
export const fetchHostFile = ({ address, session }: HostFile, signal?: AbortSignal): Promise<Response> =>
  fetch(address, {
    credentials: 'omit',
    headers: sessionHeaders(session),
    ...(signal === undefined ? {} : { signal }),
  });
