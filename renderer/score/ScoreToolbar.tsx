/** The toolbar above the score: its actions, and the switch to JSON and code. */
import { ActionIcon, Button, SegmentedControl, Tooltip } from '@mantine/core';
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconBrackets,
  IconBracketsOff,
  IconCode,
  IconCopy,
  IconDeviceFloppy,
  IconFold,
  IconPlus,
  IconRepeat,
  IconTrash,
  IconVectorSpline,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { redo, undo } from '../store/editing/edit.ts';
import { saveCurrent } from '../store/editing/save.ts';
import { pageDocumentKey } from '../store/select.ts';
import { useApp } from '../store/store.ts';
import {
  deleteSelected,
  duplicateSelected,
  groupSelected,
  newRange,
  startEdge,
  toggleFold,
  ungroupSelected,
} from './commands.ts';
import { scoreViews, setEditor, showCodeBeside, useEditor, wishFocus } from './editor.ts';
import classes from './ScoreToolbar.module.css';
import { selectedOp } from './selectedOp.ts';

export function ScoreToolbar() {
  const view = useEditor((state) => state.view);
  const beside = useEditor((state) => state.codeBeside);
  const edits = useApp((state) => state.edits[pageDocumentKey(state) ?? '']);
  const isLesson = useApp((state) => state.page.kind === 'lesson');
  const anySelected = useApp((state) => selectedOp(state) !== null);
  const drawing = useEditor((state) => state.edgeFrom !== null);
  const first = anySelected ? '' : ': select an operation first';
  return (
    <div className={classes['bar']} role="toolbar" aria-label="Score tools">
      <SegmentedControl
        size="xs"
        aria-label="Show the experiment as"
        data={[
          { value: 'score', label: 'Score' },
          { value: 'json', label: 'JSON' },
          { value: 'code', label: 'Code' },
        ]}
        value={view}
        onChange={(value) => setEditor({ view: scoreViews.find((one) => one === value) ?? 'score' })}
      />
      <Tool
        label={beside ? 'Close the code next to the score' : 'Code next to the score, in PyTorch or CUDA C++'}
        name="Code next to the score"
        enabled
        pressed={beside && view === 'score'}
        act={() => showCodeBeside(!(beside && view === 'score'))}
      >
        <IconCode size={16} />
      </Tool>
      <Button
        variant="default"
        size="compact-xs"
        leftSection={<IconPlus size={13} aria-hidden />}
        onClick={() => setEditor({ pickerOpen: true, view: 'score' })}
      >
        Add
      </Button>
      <Tool
        label={edits?.undo ? `Undo: ${edits.undo}` : 'Nothing to undo'}
        name="Undo"
        enabled={!!edits?.undo}
        act={undo}
      >
        <IconArrowBackUp size={16} />
      </Tool>
      <Tool
        label={edits?.redo ? `Redo: ${edits.redo}` : 'Nothing to redo'}
        name="Redo"
        enabled={!!edits?.redo}
        act={redo}
      >
        <IconArrowForwardUp size={16} />
      </Tool>
      <span className={classes['gap']} aria-hidden />
      <Tool label={`Duplicate (Ctrl+D)${first}`} name="Duplicate" enabled={anySelected} act={duplicateSelected}>
        <IconCopy size={15} />
      </Tool>
      <Tool
        label={`Repeat what is selected (Ctrl+G)${first}`}
        name="Repeat"
        enabled={anySelected}
        act={() => groupSelected()}
      >
        <IconRepeat size={15} />
      </Tool>
      <Tool
        label={`Put what is selected in a range (Ctrl+Alt+G)${first}`}
        name="Range"
        enabled={anySelected}
        act={() => groupSelected(newRange)}
      >
        <IconBrackets size={15} />
      </Tool>
      <Tool label={`Ungroup (Ctrl+Shift+G)${first}`} name="Ungroup" enabled={anySelected} act={ungroupSelected}>
        <IconBracketsOff size={15} />
      </Tool>
      <Tool
        label={`Fold its range into one block, or unfold it (Shift+F)${first}`}
        name="Fold or unfold"
        enabled={anySelected}
        act={() => toggleFold()}
      >
        <IconFold size={15} />
      </Tool>
      <Tool
        label={`Draw an event edge from it (E)${first}`}
        name="Event edge"
        enabled={anySelected}
        pressed={drawing}
        act={startEdge}
      >
        <IconVectorSpline size={15} />
      </Tool>
      <Tool label={`Delete (Del)${first}`} name="Delete" enabled={anySelected} act={deleteSelected}>
        <IconTrash size={15} />
      </Tool>
      <span className={classes['state']} role="status">
        {drawing ? 'Choose where the edge ends' : edits?.dirty && !isLesson ? 'Not saved' : ''}
      </span>
      {isLesson ? null : (
        <Tool
          label={edits?.dirty === true ? 'Save (Ctrl+S)' : 'Nothing to save'}
          name="Save"
          enabled={edits?.dirty === true}
          act={saveCurrent}
        >
          <IconDeviceFloppy size={16} />
        </Tool>
      )}
    </div>
  );
}

interface ToolProps {
  readonly label: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly pressed?: boolean;
  readonly act: () => unknown;
  readonly children: ReactNode;
}

function Tool({ label, name, enabled, pressed, act, children }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        size="sm"
        aria-label={name}
        aria-disabled={!enabled}
        {...(enabled ? {} : { 'data-disabled': true })}
        {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
        onClick={() => {
          if (!enabled) return;
          wishFocus();
          act();
        }}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
