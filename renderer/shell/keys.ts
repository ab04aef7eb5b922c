/**
 * Every key and gesture that means something outside a field, as the help lists it. `codes` are the names that the
 * handlers in `files` use (KeyboardEvent.key in lower case, or a hotkey): a test holds the two against each other.
 */
export interface KeyEntry {
  /** As people read them. */
  readonly keys: readonly string[];
  readonly does: string;
  readonly codes: readonly string[];
}

export interface KeySection {
  readonly title: string;
  /** Where its keys are handled, below renderer/. None for what is done with the mouse. */
  readonly files: readonly string[];
  readonly entries: readonly KeyEntry[];
}

const entry = (keys: readonly string[], does: string, ...codes: string[]): KeyEntry => ({ keys, does, codes });

export const keySections: readonly KeySection[] = [
  {
    title: 'Everywhere',
    files: ['shell/Shell.tsx', 'shell/areas.ts', 'palette/CommandPalette.tsx'],
    entries: [
      entry(['Ctrl', 'Enter'], 'Run what is open', 'enter'),
      entry(['?'], 'This list', '?', 'shift+?'),
      entry(['Ctrl', 'K'], 'Search commands, experiments, runs, lessons and settings', 'mod+k'),
      entry(['F6'], 'To the next part of the window; with Shift: back', 'f6'),
      entry(['Ctrl', 'S'], 'Save the experiment', 'mod+s'),
      entry(['Ctrl', 'O'], 'Open a file', 'mod+o'),
      entry(['Ctrl', 'P'], 'Print the run, comparison, sweep or lesson', 'mod+p'),
      entry(['Ctrl', 'Z'], 'Undo; with Shift, or Ctrl+Y: redo', 'mod+z', 'mod+shift+z', 'mod+y'),
      entry(['Alt', 'N'], 'New experiment', 'alt+n'),
      entry(['Alt', 'R'], 'Record a program', 'alt+r'),
      entry(['Alt', 'M'], 'Other machines', 'alt+m'),
      entry(['Esc'], 'Close, or select nothing'),
    ],
  },
  {
    title: 'Library',
    files: ['library/Item.tsx', 'library/itemActions.tsx', 'library/ExperimentList.tsx', 'library/RunList.tsx'],
    entries: [
      entry(['F2'], 'Rename', 'f2'),
      entry(['Del'], 'Delete; Undo brings it back', 'delete'),
      entry(['Ctrl', 'Click'], 'Select one more; with Shift: all up to it'),
      entry(['Right click'], 'What else can be done (also the menu key)'),
      entry(['Drop'], 'Files anywhere on the window: open them'),
    ],
  },
  {
    title: 'Score, with the keyboard',
    files: ['score/scoreKeys.ts'],
    entries: [
      entry(
        ['←', '→', '↑', '↓'],
        'Go from cell to cell; with Shift: select more',
        'arrowleft',
        'arrowright',
        'arrowup',
        'arrowdown',
      ),
      entry(['Home', 'End'], 'To the first or last cell of the row', 'home', 'end'),
      entry(['A'], 'Add an operation here, as “copy 64 MB pinned in side” (also Insert)', 'a', 'insert'),
      entry(['Enter'], 'Open the fields; Esc leads back', 'enter', ' ', 'escape'),
      entry(['Alt', '←'], 'Move earlier; → later; ↑ ↓ to another row'),
      entry(['E'], 'Begin an event edge; Enter ends it', 'e'),
      entry(['Ctrl', 'A'], 'Select all'),
      entry(['Ctrl', 'D'], 'Duplicate (also Ctrl+C, X, V)', 'd', 'c', 'x', 'v'),
      entry(['Ctrl', 'G'], 'Repeat what is selected; with Shift: ungroup; with Alt: a range', 'g'),
      entry(['Shift', 'F'], 'Fold a range into one block, or unfold it', 'f'),
      entry(['+', '−'], 'Longer or shorter, larger or smaller', '+', '=', '-'),
      entry(['Del'], 'Delete', 'delete', 'backspace'),
    ],
  },
  {
    title: 'Score, with the mouse',
    files: [],
    entries: [
      entry(['Drag'], 'A block to another place; empty cells: select'),
      entry(['Drag'], 'From a block’s handle: an event edge'),
      entry(['Drag'], 'A block’s lower right corner: longer or shorter'),
      entry(['Ctrl', 'Click'], 'Select one more; with Shift: all up to it'),
    ],
  },
  {
    title: 'Lessons, presented',
    files: ['lessons/usePresentKeys.ts'],
    entries: [
      entry(['→'], 'Go on, by way of the answer (also Space, Page Down)', 'arrowright', ' ', 'pagedown'),
      entry(['←'], 'Back (also Page Up)', 'arrowleft', 'pageup'),
      entry(['Esc'], 'End presenting', 'escape'),
    ],
  },
  {
    title: 'Timeline, with the keyboard',
    files: ['timeline/useTimelineKeys.ts', 'timeline/notes/useNoteKeys.ts', 'timeline/toolbar/SearchBox.tsx'],
    entries: [
      entry(['W'], 'Zoom in at the pointer, else at the selection', 'w'),
      entry(['S'], 'Zoom out', 's'),
      entry(['A'], 'Pan left (also ←)', 'a', 'arrowleft'),
      entry(['D'], 'Pan right (also →)', 'd', 'arrowright'),
      entry(['F'], 'Fit the selection; again: fit everything', 'f'),
      entry(['.'], 'Next activity in the lane', '.'),
      entry([','], 'Previous activity in the lane', ','),
      entry(['↑', '↓'], 'Lane above, lane below', 'arrowup', 'arrowdown'),
      entry([']', '['], 'To what it leads to; back to what led to it', ']', '['),
      entry(['R'], 'Sum up what ran while the selected one did', 'r'),
      entry(['Ctrl', 'A'], 'Sum up the whole run by name', 'a'),
      entry(['V'], 'Next missed overlap; with Shift: previous', 'v'),
      entry(['M'], 'Mark what is selected, or the time under the pointer', 'm'),
      entry(['N'], 'Write a note on it', 'n'),
      entry(['<', '>'], 'Previous and next note', '<', '>'),
      entry(['Ctrl', 'Z'], 'Undo the last note; with Shift, or Ctrl+Y: redo', 'z', 'y'),
      entry(['/'], 'Search; Enter and Shift+Enter go on', '/', 'enter'),
      entry(['Esc'], 'Select nothing', 'escape'),
    ],
  },
  {
    title: 'Lanes, on a lane’s name',
    files: ['timeline/gutter/Gutter.tsx'],
    entries: [
      entry(['↑', '↓'], 'Name above, name below', 'arrowup', 'arrowdown'),
      entry(['Enter'], 'Its menu (also a right click, or Shift+F10)', 'enter', ' ', 'contextmenu', 'f10'),
      entry(['P'], 'Pin to the top, or no longer; with Shift: its whole group', 'p'),
      entry(['H'], 'Hide; with Shift: its whole group. Lanes in the toolbar shows them again', 'h'),
      entry(['C'], 'Collapse to a strip; G: its whole group', 'c', 'g'),
      entry(['Alt', '↑'], 'Move up; ↓ down; or drag it'),
    ],
  },
  {
    title: 'Minimap, on the window or its edges',
    files: ['timeline/minimap/Minimap.tsx'],
    entries: [
      entry(
        ['←', '→'],
        'Move it; Page Up and Down: further',
        'arrowleft',
        'arrowdown',
        'arrowright',
        'arrowup',
        'pageup',
        'pagedown',
      ),
      entry(['Home', 'End'], 'To the beginning or the end', 'home', 'end'),
      entry(['+', '−'], 'Zoom in or out', '+', '-'),
    ],
  },
  {
    title: 'Timeline, with the mouse',
    files: [],
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
    files: [
      'charts/Drawing.tsx',
      'charts/points.ts',
      'common/table/DataTable.tsx',
      'common/table/Head.tsx',
      'timeline/notes/NotesPanel.tsx',
    ],
    entries: [
      entry(
        ['←', '→', '↑', '↓'],
        'From point to point, from row to row',
        'arrowleft',
        'arrowright',
        'arrowup',
        'arrowdown',
      ),
      entry(['Home', 'End'], 'To the first or last point', 'home', 'end'),
      entry(['Enter'], 'Open the run of the point; select the row', 'enter', ' '),
      entry(['Del'], 'Delete the note', 'delete'),
      entry(['Esc'], 'Leave', 'escape'),
    ],
  },
];

/** Files whose keys mean what they mean in any field, dialog or list: Enter does it, Escape leaves. */
export const ordinaryKeys: readonly string[] = [
  'inspector/fields/Form.tsx',
  'inspector/fields/inputs.tsx',
  'lessons/Question.tsx',
  'library/LibraryTools.tsx',
  'score/ResizeGrip.tsx',
  // The timeline's own W, S, A, D and F.
  'compare/SharedAxis.tsx',
];
