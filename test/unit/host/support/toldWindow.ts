import { vi } from 'vitest';
import type { WindowEvents } from '../../../../core/service/service.ts';

/** Returns a window that keeps its notifications. */
export const toldWindow = () =>
  ({
    runProgress: vi.fn(),
    runChanged: vi.fn(),
    experimentsChanged: vi.fn(),
    profilesChanged: vi.fn(),
    notesChanged: vi.fn(),
    recordingChanged: vi.fn(),
    opened: vi.fn(),
    sweepChanged: vi.fn(),
    sweepPoint: vi.fn(),
    remoteChanged: vi.fn(),
    engineChanged: vi.fn(),
  }) satisfies WindowEvents;
