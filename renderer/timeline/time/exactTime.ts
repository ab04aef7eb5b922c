/** Times to the nanosecond, for where one has zoomed in that far. */
const units = [
  [1e9, 's', 9],
  [1e6, 'ms', 6],
  [1e3, 'µs', 3],
] as const;

/** '1.234567 ms', '380 µs', '12 ns': every digit there is, and none that says nothing. */
export function exactTime(ns: number): string {
  const whole = Math.round(ns);
  const found = units.find(([factor]) => Math.abs(whole) >= factor);
  if (found === undefined) return `${whole} ns`;
  const [factor, name, digits] = found;
  return `${(whole / factor).toFixed(digits).replace(/\.?0+$/, '')} ${name}`;
}
