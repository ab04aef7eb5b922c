export interface KeyEntry {
  /** Keys as shown in the help. */
  readonly keys: readonly string[];
  readonly does: string;
}

export interface KeySection {
  readonly title: string;
  readonly entries: readonly KeyEntry[];
}

const entry = (keys: readonly string[], does: string): KeyEntry => ({ keys, does });

/** All keys and gestures outside of fields, as the help lists them. */
export const keySections: readonly KeySection[] = [
  {
    title: 'Everywhere',
    entries: [
      entry(['Ctrl', 'Enter'], 'Run what is open'),
      entry(['?'], 'This list'),
      entry(['Ctrl', 'K'], 'Search commands, experiments, runs, lessons and settings'),
      entry(['F6'], 'To the next part of the window; with Shift: back'),
      entry(['Ctrl', 'S'], 'Save the experiment'),
      entry(['Ctrl', 'O'], 'Open a file'),
      entry(['Ctrl', 'P'], 'Print the run, comparison, sweep or lesson'),
      entry(['Ctrl', 'Z'], 'Undo; with Shift, or Ctrl+Y: redo'),
      entry(['Alt', 'N'], 'New experiment'),
      entry(['Alt', 'R'], 'Record a program'),
      entry(['Alt', 'M'], 'Remote hosts'),
      entry(['Esc'], 'Close, or select nothing'),
    ],
  },
  {
    title: 'Library',
    entries: [
      entry(['F2'], 'Rename'),
      entry(['Del'], 'Delete; Undo brings it back'),
      entry(['Ctrl', 'Click'], 'Select one more; with Shift: all up to it'),
      entry(['Right click'], 'Open the menu of actions (also the menu key)'),
      entry(['Drop'], 'Files anywhere on the window: open them'),
    ],
  },
  {
    title: 'Score, with the keyboard',
    entries: [
      entry(['←', '→', '↑', '↓'], 'Go from cell to cell; with Shift: select more'),
      entry(['Home', 'End'], 'To the first or last cell of the row'),
      entry(['A'], 'Add an operation here, as “copy 64 MB pinned in side” (also Insert)'),
      entry(['Enter'], 'Open the fields; Esc leads back'),
      entry(['Alt', '←'], 'Move earlier; → later; ↑ ↓ to another row'),
      entry(['E'], 'Begin an event edge; Enter ends it'),
      entry(['Ctrl', 'A'], 'Select all'),
      entry(['Ctrl', 'D'], 'Duplicate (also Ctrl+C, X, V)'),
      entry(['Ctrl', 'G'], 'Repeat what is selected; with Shift: ungroup; with Alt: a range'),
      entry(['Shift', 'F'], 'Fold a range into one block, or unfold it'),
      entry(['+', '−'], 'Longer or shorter, larger or smaller'),
      entry(['Del'], 'Delete'),
    ],
  },
  {
    title: 'Score, with the mouse',
    entries: [
      entry(['Drag'], 'A block to another place; empty cells: select'),
      entry(['Drag'], 'From a block’s handle: an event edge'),
      entry(['Drag'], 'A block’s lower right corner: longer or shorter'),
      entry(['Ctrl', 'Click'], 'Select one more; with Shift: all up to it'),
    ],
  },
  {
    title: 'Lessons, presented',
    entries: [
      entry(['→'], 'Go on, by way of the answer (also Space, Page Down)'),
      entry(['←'], 'Back (also Page Up)'),
      entry(['Esc'], 'End presenting'),
    ],
  },
  {
    title: 'Timeline, with the keyboard',
    entries: [
      entry(['W'], 'Zoom in at the pointer, else at the selection'),
      entry(['S'], 'Zoom out'),
      entry(['A'], 'Pan left (also ←)'),
      entry(['D'], 'Pan right (also →)'),
      entry(['F'], 'Fit the selection; again: fit everything'),
      entry(['.'], 'Next activity in the lane'),
      entry([','], 'Previous activity in the lane'),
      entry(['↑', '↓'], 'Lane above, lane below'),
      entry([']', '['], 'To what it leads to; back to what led to it'),
      entry(['R'], 'Sum up what ran while the selected one did'),
      entry(['Ctrl', 'A'], 'Sum up the whole run by name'),
      entry(['V'], 'Next missed overlap; with Shift: previous'),
      entry(['M'], 'Mark what is selected, or the time under the pointer'),
      entry(['N'], 'Write a note on it'),
      entry(['<', '>'], 'Previous and next note'),
      entry(['Ctrl', 'Z'], 'Undo the last note; with Shift, or Ctrl+Y: redo'),
      entry(['/'], 'Search; Enter and Shift+Enter go on'),
      entry(['Esc'], 'Select nothing'),
    ],
  },
  {
    title: 'Lanes, on a lane’s name',
    entries: [
      entry(['↑', '↓'], 'Name above, name below'),
      entry(['Enter'], 'Its menu (also a right click, or Shift+F10)'),
      entry(['P'], 'Pin to the top, or no longer; with Shift: its whole group'),
      entry(['H'], 'Hide; with Shift: its whole group. Lanes in the toolbar shows them again'),
      entry(['C'], 'Collapse to a strip; G: its whole group'),
      entry(['Alt', '↑'], 'Move up; ↓ down; or drag it'),
    ],
  },
  {
    title: 'Minimap, on the window or its edges',
    entries: [
      entry(['←', '→'], 'Move it; Page Up and Down: further'),
      entry(['Home', 'End'], 'To the beginning or the end'),
      entry(['+', '−'], 'Zoom in or out'),
    ],
  },
  {
    title: 'Timeline, with the mouse',
    entries: [
      entry(['Click'], 'Select an activity, and highlight what it is joined with'),
      entry(['Double-click'], 'Zoom to it'),
      entry(['Drag'], 'Select a stretch of time'),
      entry(['Shift', 'Drag'], 'Pan'),
      entry(['Ctrl', 'Wheel'], 'Zoom at the pointer'),
      entry(['Shift', 'Wheel'], 'Pan'),
    ],
  },
  {
    title: 'Charts and tables',
    entries: [
      entry(['←', '→', '↑', '↓'], 'From point to point, from row to row'),
      entry(['Home', 'End'], 'To the first or last point'),
      entry(['Enter'], 'Open the run of the point; select the row'),
      entry(['Del'], 'Delete the note'),
      entry(['Esc'], 'Leave'),
    ],
  },
];
