import type { RunSummary } from '../../core/service/service.ts';

/** Returns text such as 'recorded on NVIDIA H200'. */
export const ranOnWords = ({ origin, device }: Pick<RunSummary, 'origin' | 'device'>): string =>
  device === '' ? origin : `${origin} on ${device}`;

/** Returns text such as 'NVIDIA H200, Nov 20, 2026'. */
export const deviceAndTime = (device: string, time: string): string => (device === '' ? time : `${device}, ${time}`);

/** Points in time as text in lists. */
const sameDay = (a: Date, b: Date): boolean => a.toDateString() === b.toDateString();

/** Returns '14:05:09' today, '20 Nov 14:05' this year, '20 Nov 2025' before. */
export function formatMoment(iso: string): string {
  const [moment, now] = [new Date(iso), new Date()];
  if (Number.isNaN(moment.getTime())) return iso;
  if (sameDay(moment, now)) return timeOfDay(iso);
  const day = moment.toLocaleDateString(undefined, { day: 'numeric', month: 'short' });
  return moment.getFullYear() === now.getFullYear()
    ? `${day} ${moment.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hour12: false })}`
    : `${day} ${moment.getFullYear()}`;
}

/** Returns text such as '20 Nov 2026, 14:05:09'. */
export const formatInstant = (iso: string): string => `${formatDay(iso)}, ${timeOfDay(iso)}`;

const timeOfDay = (iso: string): string =>
  new Date(iso).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });

/** Returns text such as '20 Nov 2026'. */
export const formatDay = (iso: string): string =>
  new Date(iso).toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
