/** The origin of a run in words. A host-only trace names no device. */
import type { RunSummary } from '../../core/service/service.ts';

/** Returns text such as 'recorded on NVIDIA H200'. */
export const ranOnWords = ({ origin, device }: Pick<RunSummary, 'origin' | 'device'>): string =>
  device === '' ? origin : `${origin} on ${device}`;

/** Returns text such as 'NVIDIA H200, Nov 20, 2026'. */
export const deviceAndTime = (device: string, time: string): string => (device === '' ? time : `${device}, ${time}`);
