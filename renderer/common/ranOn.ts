/** Where a run comes from, in words. A trace of the host alone names no device. */
import type { RunSummary } from '../../core/service/service.ts';

/** As 'recorded on NVIDIA H200'. */
export const ranOnWords = ({ origin, device }: Pick<RunSummary, 'origin' | 'device'>): string =>
  device === '' ? origin : `${origin} on ${device}`;

/** As 'NVIDIA H200, Nov 20, 2026'. */
export const deviceAndTime = (device: string, time: string): string => (device === '' ? time : `${device}, ${time}`);
