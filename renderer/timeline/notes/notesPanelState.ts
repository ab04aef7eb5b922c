/** Whether the list of notes is open; kept between visits. */
import { create } from 'zustand';
import { recall, remember } from '../../store/settings.ts';

const useOpen = create<{ readonly open: boolean }>()(() => ({ open: recall('notes-open') === 'yes' }));

export const useNotesOpen = (): boolean => useOpen((state) => state.open);

export function openNotes(open: boolean): void {
  useOpen.setState({ open });
  remember('notes-open', open ? 'yes' : 'no');
}
