import type { Measurement } from '../../core/apps/calibrate/measurement.ts';

/** The executor submits 1,000 copies of 4 KiB, and a loop written by hand does the same, in turns. */
export const submitting: Measurement = {
  ...{ kind: 'submit', direction: 'h2d', memory: 'pinned', device: 0 },
  ...{ bytes: 4096, capacity: 4096, count: 1000, samples: 105, warmups: 5 },
};
