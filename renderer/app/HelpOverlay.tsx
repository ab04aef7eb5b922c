import { Kbd, Modal } from '@mantine/core';
import classes from './HelpOverlay.module.css';
import { assign, useApp } from './store/store.ts';

type Entry = readonly [keys: readonly string[], does: string];

const sections: readonly (readonly [title: string, entries: readonly Entry[]])[] = [
  [
    'Everywhere',
    [
      [['Ctrl', 'Enter'], 'Run what is open'],
      [['?'], 'This list'],
      [['Ctrl', 'K'], 'Search all commands'],
      [['Ctrl', 'S'], 'Save the experiment'],
      [['Ctrl', 'Z'], 'Undo; with Shift: redo'],
      [['Alt', 'N'], 'New experiment'],
      [['Esc'], 'Close, or select nothing'],
    ],
  ],
  [
    'Score, with the keyboard',
    [
      [['←', '→', '↑', '↓'], 'Go from cell to cell; with Shift: select more'],
      [['A'], 'Add an operation here (also Insert)'],
      [['Enter'], 'Open the fields; Esc leads back'],
      [['Alt', '←'], 'Move earlier; → later; ↑ ↓ to another row'],
      [['E'], 'Begin an event edge; Enter ends it'],
      [['Ctrl', 'D'], 'Duplicate (also Ctrl+C, X, V)'],
      [['Ctrl', 'G'], 'Repeat what is selected; with Shift: ungroup; with Alt: a range'],
      [['+', '−'], 'Longer or shorter, larger or smaller'],
      [['Del'], 'Delete'],
    ],
  ],
  [
    'Score, with the mouse',
    [
      [['Drag'], 'A block to another place; empty cells: select'],
      [['Drag'], 'From a block’s handle: an event edge'],
      [['Drag'], 'A block’s lower right corner: longer or shorter'],
      [['Ctrl', 'Click'], 'Select one more; with Shift: all up to it'],
    ],
  ],
  [
    'Timeline, with the keyboard',
    [
      [['W'], 'Zoom in at the pointer'],
      [['S'], 'Zoom out'],
      [['A'], 'Pan left (also ←)'],
      [['D'], 'Pan right (also →)'],
      [['F'], 'Fit the selection; again: fit everything'],
      [['.'], 'Next activity in the lane'],
      [[','], 'Previous activity in the lane'],
      [['↑', '↓'], 'Lane above, lane below'],
      [[']', '['], 'To what it leads to; back to what led to it'],
      [['M'], 'Mark what is selected, or the time under the pointer'],
      [['N'], 'Write a note on it'],
      [['<', '>'], 'Previous and next note'],
      [['/'], 'Search; Enter and Shift+Enter go on'],
    ],
  ],
  [
    'Lanes, on a lane’s name',
    [
      [['Enter'], 'Its menu (also a right click)'],
      [['P'], 'Pin to the top, or no longer'],
      [['H'], 'Hide; Lanes in the toolbar shows it again'],
      [['C'], 'Collapse to a strip; G: its whole group'],
      [['Alt', '↑'], 'Move up; ↓ down; or drag it'],
    ],
  ],
  [
    'Timeline, with the mouse',
    [
      [['Click'], 'Select an activity, and highlight what it is joined with'],
      [['Double-click'], 'Zoom to it'],
      [['Drag'], 'Select a stretch of time'],
      [['Shift', 'Drag'], 'Pan'],
      [['Ctrl', 'Wheel'], 'Zoom at the pointer'],
      [['Shift', 'Wheel'], 'Pan'],
    ],
  ],
];

export function HelpOverlay() {
  const opened = useApp((state) => state.helpOpen);
  return (
    <Modal
      opened={opened}
      onClose={() => assign({ helpOpen: false })}
      title="Keyboard and mouse"
      size={720}
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <div className={classes['sections']}>
        {sections.map(([title, entries]) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <dl>
              {entries.map(([keys, does]) => (
                <div key={does}>
                  <dt>
                    {keys.map((key) => (
                      <Kbd key={key}>{key}</Kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
