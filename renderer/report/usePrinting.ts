import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** Returns true while the page is printed, in time for a drawing for paper. */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const media = window.matchMedia('print');
    const set = (now: boolean) => (): void => flushSync(() => setPrinting(now));
    window.addEventListener('beforeprint', set(true), { signal });
    window.addEventListener('afterprint', set(false), { signal });
    media.addEventListener('change', () => set(media.matches)(), { signal });
    return () => stop.abort();
  }, []);
  return printing;
}
