import { createContext, useCallback, useContext, useEffect, useState } from 'react';
import { type Paint, type PaintName, paint, type Scheme } from './palette.ts';

/** The current theme. It is read once, since each query goes to the browser, and lanes are drawn with every edit. */
export const SchemeContext = createContext<Scheme>('light');

export const useScheme = (): Scheme => useContext(SchemeContext);

/** Returns the palette of the current theme. */
export function usePaints(): (name: PaintName) => Paint {
  const scheme = useScheme();
  return useCallback((name) => paint(name, scheme), [scheme]);
}

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

/** Returns the answer to the request with this key, or null until it comes. A null key requests nothing. */
export function useAnswer<Answer>(key: string | null, ask: () => Promise<Answer>): Answer | null {
  const [answer, setAnswer] = useState<{ readonly key: string; readonly found: Answer } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key tells requests apart.
  useEffect(() => {
    let isLate = false;
    if (key !== null) void ask().then((found) => isLate || setAnswer({ key, found }));
    return () => {
      isLate = true;
    };
  }, [key]);
  return answer?.key === key ? (answer?.found ?? null) : null;
}

/** Returns the value, or the last one if it is null: a dialog that fades away still shows its content. */
export function useLast<Value>(value: Value | null): Value | null {
  const [last, setLast] = useState(value);
  if (value !== null && value !== last) setLast(value);
  return value ?? last;
}
