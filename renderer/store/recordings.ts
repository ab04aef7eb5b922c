/** The state of the recorded program from the host; renderer/record sends the requests. */
import { create } from 'zustand';
import { isUnderWay, type RecordingStatus } from '../../core/service/recording.ts';
import { announce, notifyDone, notifyError } from './notify.ts';
import { openPage } from './pages.ts';
import { state } from './store.ts';

/** The current recording, or the last one. */
export const useRecording = create<{ readonly status: RecordingStatus | null }>()(() => ({ status: null }));

export function onRecordingChanged(status: RecordingStatus): void {
  const before = useRecording.getState().status;
  useRecording.setState({ status });
  const wasUnderWay = before?.id === status.id && isUnderWay(before);
  if (wasUnderWay && !isUnderWay(status)) tellEnd(status);
}

/** Opens the trace if the user waits on the recording page; else only notifies. */
function tellEnd({ name, run, error, exitCode }: RecordingStatus): void {
  const isWaited = state().page.kind === 'record';
  if (error !== null) {
    if (isWaited) announce(`Recording ${name} failed`);
    else notifyError(`${name} was not recorded`, error);
    return;
  }
  if (run === null) return;
  const show = (): void => openPage({ kind: 'run', id: run });
  const text = `It ended with exit code ${exitCode ?? 0}.`;
  if (isWaited) show();
  notifyDone(`${name} was recorded`, text, isWaited ? undefined : { label: 'Open its trace', act: show });
}
