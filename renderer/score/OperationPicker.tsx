/**
 * Finds an operation or a template, or takes a typed one with its parameters, and puts it at the cursor. A, Insert, or
 * Enter in an empty cell opens it.
 */
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { IconKeyboard, IconSearch, IconTemplate } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { parseTyped, typedCompletions, typedForms, typedProblem } from '../../core/experiment/edit/typedOperation.ts';
import { templates } from '../../core/experiment/templates/templates.ts';
import { currentExperiment } from '../store/select.ts';
import { state } from '../store/store.ts';
import { setEditor, useEditor, wishFocus } from './editor.ts';
import { addAt, addTypedAt, freeCell, insertTemplate } from './edits.ts';
import { OperationIcon } from './OperationIcon.tsx';
import { operationSections, typedTitle } from './operationTexts.ts';

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
      onClick: () => void addAt(one.name, freeCell()).then(wishFocus),
    })),
  })),
  {
    group: 'Templates',
    actions: templates.map((template) => ({
      id: template.id,
      label: template.title,
      description: template.summary,
      leftSection: <IconTemplate size={13} aria-hidden />,
      onClick: () => void insertTemplate(template, freeCell()).then(wishFocus),
    })),
  },
];

/** Returns the operation typed with size, memory, duration or stream; empty if the text names no operation. */
function typedGroup(query: string): SpotlightActionGroupData[] {
  const typed = parseTyped(query);
  if (typed === null) return [];
  const action = {
    id: 'typed',
    label: typedTitle(typed),
    description: 'as typed; buffers, streams and events that are missing are added',
    // The list shows only actions that contain the query.
    keywords: query,
    leftSection: <OperationIcon kind={typed.name} />,
    onClick: () => void addTypedAt(typed, freeCell()).then(wishFocus),
  };
  return [{ group: 'As typed', actions: [action] }];
}

const mostCompletions = 8;

/** Returns what the typed text may go on with; Enter takes it, and the list stays open. */
function completions(query: string, setQuery: (query: string) => void): SpotlightActionGroupData[] {
  const experiment = currentExperiment(state());
  const texts = experiment === null ? [] : typedCompletions(query, experiment).slice(0, mostCompletions);
  if (texts.length === 0) return [];
  const actions = texts.map((text) => ({
    id: `complete ${text}`,
    label: `… ${text.trim().split(' ').at(-1)}`,
    // A label with the whole query would stand above the typed operation.
    keywords: query,
    leftSection: <IconKeyboard size={13} aria-hidden />,
    closeSpotlightOnTrigger: false,
    onClick: () => setQuery(text),
  }));
  return [{ group: 'Go on with', actions }];
}

/** The forms that can be typed. */
const forms = (setQuery: (query: string) => void): SpotlightActionGroupData => ({
  group: 'Typed forms',
  actions: typedForms.map(({ begins, text }) => ({
    id: `form ${text}`,
    label: text,
    leftSection: <IconKeyboard size={13} aria-hidden />,
    closeSpotlightOnTrigger: false,
    onClick: () => setQuery(`${begins.at(-1)} `),
  })),
});

export function OperationPicker() {
  const [query, setQuery] = useState('');
  // Only typing selects the first action by itself; a completion sets the text too.
  useEffect(() => {
    const { listId } = store.getState();
    const list = listId === '' ? null : document.getElementById(listId);
    for (const chosen of list?.querySelectorAll('[data-selected]') ?? []) chosen.removeAttribute('data-selected');
    list?.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
    store.updateState((current) => ({ ...current, selected: query === '' ? -1 : 0 }));
  }, [query]);
  const open = useEditor((state) => state.pickerOpen);
  useEffect(() => {
    if (open) picker.open();
  }, [open]);
  return (
    <Spotlight
      store={store}
      actions={[...typedGroup(query), ...completions(query, setQuery), ...groups, forms(setQuery)]}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      attributes={{ content: { 'aria-label': 'Add an operation or a template' } }}
      scrollable
      maxHeight={380}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
      nothingFound={
        typedProblem(query) ??
        `No operation has that name. Forms to type: ${typedForms.map(({ text }) => text).join('; ')}`
      }
      searchProps={{
        placeholder: 'Add an operation, such as “copy 64 MB pinned in side” or “kernel 200 µs”',
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
