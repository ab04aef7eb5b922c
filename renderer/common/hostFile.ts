/** A file that the host serves to this window and its workers. */
export interface HostFile {
  readonly address: string;
  /** Secret that the server requires; null in the desktop app, which serves only its own page. */
  readonly session: string | null;
}

/** Returns the headers that carry a session's secret. */
export const sessionHeaders = (session: string | null): Readonly<Record<string, string>> =>
  session === null ? {} : { Authorization: `Bearer ${session}` };

/** Rejects as fetch() does. Sends no cookies, since pages of other ports may have set too many. */
export const fetchHostFile = ({ address, session }: HostFile, signal?: AbortSignal): Promise<Response> =>
  fetch(address, {
    credentials: 'omit',
    headers: sessionHeaders(session),
    ...(signal === undefined ? {} : { signal }),
  });
