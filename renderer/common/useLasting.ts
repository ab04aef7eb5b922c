import { useEffect, useState } from 'react';

/** What is done sooner is not worth a flash on the screen. */
const patienceMs = 300;

/** True once whatever calls it has been there for longer than a moment. */
export function useLasting(): boolean {
  const [isLasting, setLasting] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLasting(true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  return isLasting;
}
