import { useState } from 'react';

/** The value, and once there is none the last one: a dialog that fades away still shows what it was about. */
export function useLast<Value>(value: Value | null): Value | null {
  const [last, setLast] = useState(value);
  if (value !== null && value !== last) setLast(value);
  return value ?? last;
}
