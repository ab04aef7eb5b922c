/** Search for an operation or a template, and put it at the cursor: opened with A, Insert or Enter in an empty cell. */
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { IconSearch, IconTemplate } from '@tabler/icons-react';
import { useEffect } from 'react';
import { templates } from '../../core/experiment/templates/templates.ts';
import { addAt, insertTemplate } from './commands.ts';
import { setEditor, useEditor, wishFocus } from './editor.ts';
import { OperationIcon } from './OperationIcon.tsx';
import { operationSections } from './operationTexts.ts';

const [store, picker] = createSpotlight();

const groups: SpotlightActionGroupData[] = [
  ...operationSections.map(({ title, operations }) => ({
    group: title,
    actions: operations.map((one) => ({
      id: one.name,
      label: one.title,
      description: one.summary,
      keywords: one.name,
      leftSection: <OperationIcon kind={one.name} />,
      onClick: () => void addAt(one.name).then(wishFocus),
    })),
  })),
  {
    group: 'Templates',
    actions: templates.map((template) => ({
      id: template.id,
      label: template.title,
      description: template.summary,
      leftSection: <IconTemplate size={13} aria-hidden />,
      onClick: () => void insertTemplate(template).then(wishFocus),
    })),
  },
];

export function OperationPicker() {
  const open = useEditor((state) => state.pickerOpen);
  useEffect(() => {
    if (open) picker.open();
  }, [open]);
  return (
    <Spotlight
      store={store}
      actions={groups}
      shortcut={null}
      attributes={{ content: { 'aria-label': 'Add an operation or a template' } }}
      scrollable
      maxHeight={380}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
      nothingFound="No operation has that name."
      searchProps={{
        placeholder: 'Add an operation or a template',
        'aria-label': 'Add an operation or a template',
        leftSection: <IconSearch size={16} aria-hidden />,
      }}
      onSpotlightClose={() => {
        setEditor({ pickerOpen: false });
        wishFocus();
      }}
    />
  );
}
