/** Requests of the window to the host about recordings. */
import { create } from 'zustand';
import { type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { StartRecording } from '../../core/service/recording.ts';
import { announce } from '../store/announce.ts';
import { attempt, host } from '../store/host.ts';
import { onRecordingChanged } from '../store/recordings.ts';

/** Reason why the last recording could not start, or null. */
export const useRefusal = create<{ readonly error: ErrorInfo | null; readonly asked: boolean }>()(() => ({
  error: null,
  asked: false,
}));

export async function startRecording(request: StartRecording): Promise<void> {
  useRefusal.setState({ error: null, asked: true });
  try {
    const status = await host().startRecording(request);
    onRecordingChanged(status);
    announce(`Recording ${status.name}`);
  } catch (thrown) {
    useRefusal.setState({ error: toErrorInfo(thrown) });
  } finally {
    useRefusal.setState({ asked: false });
  }
}

export const stopRecording = (id: string, atOnce: boolean): Promise<void> =>
  attempt('The program could not be stopped', () => host().stopRecording(id, atOnce));
