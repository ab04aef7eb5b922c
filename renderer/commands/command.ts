/**
 * The registry: a command's name, keys, icon and condition stand once. Key handlers, palette, toolbars and help read
 * them. Each area lists its commands in its own commands.ts, and shell/commands.ts joins them.
 */
import type { Icon } from '@tabler/icons-react';
import type { AppState } from '../store/types.ts';

/** A line of the help. */
export interface Entry {
  readonly name: string;
  /** Text in the help, if it says more than the name. */
  readonly help?: string;
  /** Bindings such as 'mod shift Z', where mod is Ctrl or Command. Palette and toolbars show the first one. */
  readonly keys?: readonly string[];
}

export interface Command<Args extends readonly unknown[] = readonly []> extends Entry {
  readonly id: string;
  /** Heading in the palette. */
  readonly group: string;
  readonly icon?: Icon;
  /** Returns true if the command is available; left out, it always is. */
  readonly when?: (now: AppState) => boolean;
  readonly run: (...args: Args) => unknown;
}

/** Keys of undo and redo, of a document and of notes. */
export const historyKeys = { undo: ['mod Z'], redo: ['mod shift Z', 'mod Y'] };

/** Returns the commands with their ids, such as 'Edit.undo'. */
export function commands<Args extends readonly unknown[] = readonly [], Name extends string = string>(
  group: string,
  list: Readonly<Record<Name, Omit<Command<Args>, 'id' | 'group'>>>,
): Readonly<Record<Name, Command<Args>>> {
  const named = Object.entries<Omit<Command<Args>, 'id' | 'group'>>(list).map(
    ([name, command]) => [name, { ...command, id: `${group}.${name}`, group }] as const,
  );
  return Object.fromEntries(named) as Record<Name, Command<Args>>;
}

type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** Returns the command that a key press means. */
export const commandOf = <One extends Pick<Entry, 'keys'>>(list: readonly One[], event: Pressed): One | undefined =>
  list.find(({ keys = [] }) => keys.some((binding) => isPressed(binding, event)));

function isPressed(binding: string, event: Pressed): boolean {
  const parts = binding.split(' ');
  const key = parts.at(-1) ?? '';
  // Layouts differ in the signs that need Shift.
  const isSign = /^[^A-Z0-9]$/.test(key);
  return (
    keyOf(event) === key &&
    parts.includes('mod') === (event.ctrlKey || event.metaKey) &&
    parts.includes('alt') === event.altKey &&
    (isSign || parts.includes('shift') === event.shiftKey)
  );
}

/** Returns a letter by its place if the layout has no Latin ones, or Alt changes them, as on a Mac. */
function keyOf({ key, code }: Pressed): string {
  if (/^Key[A-Z]$/.test(code) && (key === 'Dead' || key > '~')) return code.slice(3);
  return key === ' ' ? 'Space' : key.length === 1 ? key.toUpperCase() : key;
}

const isMac = /Mac/.test(globalThis.navigator?.userAgent ?? '');

const shownParts: Readonly<Record<string, string>> = {
  ...(isMac ? { mod: '⌘', alt: '⌥', shift: '⇧' } : { mod: 'Ctrl', alt: 'Alt', shift: 'Shift' }),
  ...{ ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', PageUp: 'Page Up', PageDown: 'Page Down' },
  ...{ Delete: 'Del', Escape: 'Esc', '-': '−' },
};

/** Returns a binding as this platform writes it. */
export const shownKeys = (binding: string): string =>
  binding
    .split(' ')
    .map((part) => shownParts[part] ?? part)
    .join(isMac ? ' ' : '+');

/** Returns a text with the keys of a command, as 'Save (Ctrl+S)'. */
export const withKeys = ({ name, keys: [binding] = [] }: Entry, text = name): string =>
  binding === undefined ? text : `${text} (${shownKeys(binding)})`;
