/** Quantities as text. Names of fields and parameters end in their unit: …Ns, …Bytes or bytes, …BytesPerSecond. */

export const KiB = 1024;
export const MiB = 1024 * KiB;
export const GiB = 1024 * MiB;

/** Returns bytes per second. Returns 0 if no time passed, so that no chart shows an infinite rate. */
export const rate = (bytesMoved: number, overNs: number): number => (overNs > 0 ? (bytesMoved / overNs) * 1e9 : 0);

/** Formats three significant digits without an exponent. The limits are where rounding adds a digit. */
function significant(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude >= 99.95) return value.toFixed(0);
  if (magnitude >= 9.995) return value.toFixed(1);
  return value.toFixed(magnitude >= 0.9995 ? 2 : 3);
}

function scaled(value: number, units: readonly (readonly [factor: number, name: string])[]): string {
  const magnitude = Math.abs(value);
  // A value that would round up to 1 of the next unit is shown in that unit: 999.9 us is shown as 1.00 ms.
  const found = units.find(([factor]) => magnitude >= factor * 0.9995) ?? units[units.length - 1];
  if (found === undefined) throw new RangeError('scaled() needs at least one unit');
  const [factor, name] = found;
  return `${magnitude === 0 ? '0' : significant(value / factor)} ${name}`;
}

/** Puts a no-break space between each number and its unit. */
export const unbroken = (text: string): string =>
  text.replace(/(\d) (?=(?:%|[nµm]?s|[KMGT]?i?B(?:\/s)?)(?!\w))/g, '$1\u00a0');

export const formatDuration = (value: number): string =>
  scaled(value, [
    [1e9, 's'],
    [1e6, 'ms'],
    [1e3, 'µs'],
    [1, 'ns'],
  ]);

const decimalBytes = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
] as const;

/** Returns for example '64 MB' if the size is a round number of decimal units (at most three digits), or null. */
export function decimalSize(value: number): string | null {
  if (!Number.isInteger(value) || value < KiB) return null;
  const [factor, name] = decimalBytes.find(([unit]) => value >= unit) ?? decimalBytes[2];
  const digits = String(value / factor);
  // 61.5 MB could be a sum of tensor sizes, so it isn't round. 62.5 KiB and 64 kB are the same size; the shorter text
  // is the likely choice.
  const isRound = /^\d{1,3}$|^\d\.\d$/.test(digits);
  return isRound && value % MiB !== 0 ? `${digits} ${name}` : null;
}

/** Formats bytes in binary units, as CUDA and PyTorch do, or in decimal units if the size is round in those. */
export const formatBytes = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) < KiB
    ? `${value} B`
    : (decimalSize(value) ??
      scaled(value, [
        [GiB, 'GiB'],
        [MiB, 'MiB'],
        [KiB, 'KiB'],
        [1, 'B'],
      ]));

/** Formats a rate in decimal units, the convention for link and memory bandwidth. */
export const formatRate = (value: number): string =>
  scaled(value, [
    [1e12, 'TB/s'],
    [1e9, 'GB/s'],
    [1e6, 'MB/s'],
    [1e3, 'kB/s'],
    [1, 'B/s'],
  ]);

/** Formats two values as '9.8 to 20 ms' or '940 µs to 1.2 ms': a shared unit appears once, without trailing zeros. */
export function formatRange(low: number, high: number, format: (value: number) => string): string {
  const short = (value: number): string => {
    const text = format(value).replace(/(\.\d*?)0+(?= )/, '$1');
    return text.replace('. ', ' ').replace('-', '−');
  };
  const [from, to] = [short(low), short(high)];
  const [fromUnit, toUnit] = [from, to].map((text) => text.slice(text.indexOf(' ')));
  return `${fromUnit === toUnit ? from.slice(0, from.indexOf(' ')) : from} to ${to}`;
}

/** Removes trailing zeros for running text: '20 MiB' for '20.0 MiB', '1.5 times' for '1.50 times'. */
export const asWritten = (text: string): string =>
  text.replace(/(\d)\.(\d*?)0+(?!\d)/g, (_, whole: string, rest: string) => (rest === '' ? whole : `${whole}.${rest}`));

/** Formats a share between 0 and 1 as a percentage. Returns '100 %' only for exactly 1. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 99.9 && percent < 100) return '99.9 %';
  if (percent > 0 && percent < 0.1) return '<0.1 %';
  return `${percent >= 99.95 || percent === 0 ? percent.toFixed(0) : percent.toFixed(1)} %`;
}
