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
      [['Esc'], 'Close, or select nothing'],
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
      [['↑'], 'Lane above'],
      [['↓'], 'Lane below'],
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
                <div key={keys.join('+')}>
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
