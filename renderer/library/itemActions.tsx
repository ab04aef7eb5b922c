/** What can be done with any thing of the library that is the user's own. */
import { IconPackageExport, IconPencil, IconTrash } from '@tabler/icons-react';
import type { LibraryItems } from '../../core/service/service.ts';
import { exportBundle } from '../app/store/files.ts';
import { deleteItems } from '../app/store/libraryActions.ts';
import { bundleName } from './bundleName.ts';
import type { ItemAction } from './Item.tsx';
import { type LibraryItem, useLibrary } from './libraryView.ts';

export const renameAction = (item: LibraryItem): ItemAction => ({
  label: 'Rename…',
  icon: <IconPencil size={15} />,
  act: () => useLibrary.setState({ renaming: item }),
  key: 'F2',
});

export const deleteAction = (items: LibraryItems): ItemAction => ({
  label: 'Delete',
  icon: <IconTrash size={15} />,
  act: () => void deleteItems(items),
  isHarmful: true,
  key: 'Delete',
});

export const exportAction = (items: LibraryItems, name: string): ItemAction => ({
  label: 'Export as a bundle',
  icon: <IconPackageExport size={15} />,
  act: () => void exportBundle(items, bundleName(name)),
});
