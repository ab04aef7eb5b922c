/** Times to the nanosecond, for deep zoom. */
const units = [
  [1e9, 's', 9],
  [1e6, 'ms', 6],
  [1e3, 'µs', 3],
] as const;

/** Returns '1.234567 ms', '380 µs' or '12 ns', with all significant digits and no trailing zeros. */
export function exactTime(ns: number): string {
  const whole = Math.round(ns);
  const found = units.find(([factor]) => Math.abs(whole) >= factor);
  if (found === undefined) return `${whole} ns`;
  const [factor, name, digits] = found;
  return `${(whole / factor).toFixed(digits).replace(/\.?0+$/, '')} ${name}`;
}
