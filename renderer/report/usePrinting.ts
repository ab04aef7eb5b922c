import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** Whether the page is being put on paper. It is drawn for that before the printer looks. */
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
