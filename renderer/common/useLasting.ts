import { useEffect, useState } from 'react';

/** Faster work would only flash on the screen. */
const patienceMs = 300;

/** Returns true when the component has been shown for longer than `patienceMs`. */
export function useLasting(): boolean {
  const [isLasting, setLasting] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLasting(true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  return isLasting;
}
