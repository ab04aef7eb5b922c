/** The toolbar above the score: its actions, and the switch to JSON and code. */
import { SegmentedControl } from '@mantine/core';
import { CommandButton, CommandTool } from '../commands/buttons.tsx';
import { withKeys } from '../commands/command.ts';
import { pageDocumentKey } from '../store/select.ts';
import { useApp } from '../store/store.ts';
import { experimentCommands, historyCommands, scoreCommands } from './commands.ts';
import { scoreViews, setEditor, useEditor, wishFocus } from './editor.ts';
import classes from './ScoreToolbar.module.css';

/** Commands on the selection that have a button. */
const ofSelection = (['duplicate', 'repeat', 'range', 'ungroup', 'fold', 'edge', 'delete'] as const).map(
  (name) => scoreCommands[name],
);

const { undo, redo } = historyCommands;
const tool = { size: 'sm', onUse: wishFocus };

export function ScoreToolbar() {
  const view = useEditor((state) => state.view);
  const beside = useEditor((state) => state.codeBeside);
  const edits = useApp((state) => state.edits[pageDocumentKey(state) ?? '']);
  const isLesson = useApp((state) => state.page.kind === 'lesson');
  const drawing = useEditor((state) => state.edgeFrom !== null);
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
      <CommandTool
        {...tool}
        command={experimentCommands.beside}
        label={beside ? 'Close the code next to the score' : 'Code next to the score, in PyTorch or CUDA C++'}
        pressed={beside && view === 'score'}
      />
      <CommandButton command={scoreCommands.add} label="Add" size="compact-xs" />
      <CommandTool {...tool} command={undo} label={`Undo: ${edits?.undo}`} idle="Nothing to undo" />
      <CommandTool {...tool} command={redo} label={`Redo: ${edits?.redo}`} idle="Nothing to redo" />
      <span className={classes['gap']} aria-hidden />
      {ofSelection.map((command) => (
        <CommandTool
          {...tool}
          key={command.id}
          command={command}
          idle={`${withKeys(command)}: select an operation first`}
          {...(command === scoreCommands.edge ? { pressed: drawing } : {})}
        />
      ))}
      <span className={classes['state']} role="status">
        {drawing ? 'Choose where the edge ends' : edits?.dirty && !isLesson ? 'Not saved' : ''}
      </span>
      {isLesson ? null : <CommandTool {...tool} command={experimentCommands.save} idle="Nothing to save" />}
    </div>
  );
}
