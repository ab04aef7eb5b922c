/** Actions on the user's own items of the library. */
import { IconFileExport, IconFileTypeHtml, IconPackageExport, IconPencil, IconTrash } from '@tabler/icons-react';
import { exportFormats, exportWords } from '../../core/export/formats.ts';
import type { LibraryItems } from '../../core/service/service.ts';
import { reportRuns } from '../files/exportReports.ts';
import { exportBundle } from '../files/files.ts';
import { exportKeptRun } from '../files/makeExport.ts';
import { deleteItems, type LibraryItem } from '../store/libraryActions.ts';
import type { ItemAction } from './Item.tsx';
import { useLibrary } from './libraryView.ts';

/** Keys of the actions on a focused item. */
export const itemKeys = {
  rename: { name: 'Rename', keys: ['F2'] },
  delete: { name: 'Delete; Undo brings it back', keys: ['Delete'] },
};

export const renameAction = (item: LibraryItem): ItemAction => ({
  label: 'Rename…',
  icon: <IconPencil size={15} />,
  act: () => useLibrary.setState({ renaming: item }),
  keys: itemKeys.rename.keys,
});

export const deleteAction = (items: LibraryItems): ItemAction => ({
  label: 'Delete',
  icon: <IconTrash size={15} />,
  act: () => void deleteItems(items),
  isHarmful: true,
  keys: itemKeys.delete.keys,
});

export const exportAction = (items: LibraryItems, name: string): ItemAction => ({
  label: 'Export as a bundle',
  icon: <IconPackageExport size={15} />,
  act: () => void exportBundle(items, name),
});

/** Exports a run in other viewers' formats, or as a report. */
export const exportRunActions = (run: string): ItemAction[] => [
  reportAction(() => reportRuns([run])),
  ...exportFormats.map((format) => ({
    label: `Export ${exportWords[format].purpose}`,
    icon: <IconFileExport size={15} />,
    act: () => void exportKeptRun(run, format),
  })),
];

export const reportAction = (act: () => unknown): ItemAction => ({
  label: 'Report (HTML)',
  icon: <IconFileTypeHtml size={15} />,
  act,
});
