import { useState } from 'react';

/** Returns the value, or the last one if it is null: a dialog that fades away still shows its content. */
export function useLast<Value>(value: Value | null): Value | null {
  const [last, setLast] = useState(value);
  if (value !== null && value !== last) setLast(value);
  return value ?? last;
}
