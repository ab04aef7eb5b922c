/** One line of the library: a click opens or selects it, and a menu offers further actions. */
import { ActionIcon, Checkbox, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { type KeyboardEvent, type MouseEvent, type ReactNode, type RefObject, useRef, useState } from 'react';
import { commandOf } from '../commands/command.ts';
import type { LibraryItem } from '../store/libraryActions.ts';
import classes from './Library.module.css';
import { itemKey, selectTo, toggleSelected, useLibrary } from './libraryView.ts';

export interface ItemAction {
  readonly label: string;
  readonly icon: ReactNode;
  readonly act: () => void;
  /** Draws the action in a warning colour. */
  readonly isHarmful?: boolean;
  readonly keys?: readonly string[];
}

interface Props {
  readonly icon: ReactNode;
  readonly name: string;
  readonly detail?: ReactNode;
  readonly current: boolean;
  readonly onOpen: () => void;
  /** Built-in items have none, and can't be selected. */
  readonly item?: LibraryItem;
  readonly actions?: readonly ItemAction[];
  /** Keys of all selectable items, as listed. */
  readonly order?: readonly string[];
}

export function Item({ icon, name, detail, current, onOpen, item, actions = [], order = [] }: Props) {
  const selecting = useLibrary((state) => state.selecting);
  const selected = useLibrary((state) => item !== undefined && state.selected.has(itemKey(item)));
  const [menu, setMenu] = useState<'never' | 'closed' | 'open'>('never');
  const opener = useRef<HTMLButtonElement>(null);
  const click = (event: MouseEvent): void => {
    if (item !== undefined && event.shiftKey) selectTo(item, order);
    else if (item !== undefined && (selecting || event.ctrlKey || event.metaKey)) toggleSelected(item);
    else if (!selecting) onOpen();
  };
  const press = (event: KeyboardEvent): void => {
    const action = commandOf(actions, event);
    if (action === undefined) return;
    event.preventDefault();
    action.act();
  };
  const hasMenu = actions.length > 0 && !selecting;
  return (
    <li
      className={classes['item']}
      data-item={item === undefined ? undefined : itemKey(item)}
      data-current={current || undefined}
      data-selected={selected || undefined}
      data-detailed={detail !== undefined || undefined}
      onContextMenu={(event) => {
        if (!hasMenu) return;
        event.preventDefault();
        setMenu('open');
      }}
    >
      {selecting && item !== undefined ? (
        <Checkbox
          size="xs"
          className={classes['check'] ?? ''}
          checked={selected}
          onChange={() => toggleSelected(item)}
          aria-label={`Select ${name}`}
        />
      ) : null}
      <button
        ref={opener}
        type="button"
        className={classes['open']}
        aria-current={current ? 'page' : undefined}
        disabled={selecting && item === undefined}
        onClick={click}
        onKeyDown={press}
      >
        <span className={classes['icon']}>{icon}</span>
        <span className={classes['text']}>
          <span className={classes['name']} title={name}>
            {name}
          </span>
          {detail === undefined ? null : <span className={classes['detail']}>{detail}</span>}
        </span>
      </button>
      {hasMenu ? <MoreMenu name={name} actions={actions} menu={menu} setMenu={setMenu} opener={opener} /> : null}
    </li>
  );
}

interface MoreProps {
  readonly name: string;
  readonly actions: readonly ItemAction[];
  readonly menu: 'never' | 'closed' | 'open';
  readonly setMenu: (menu: 'closed' | 'open') => void;
  /** Gets the focus before an action, since the menu closes and a dialog returns the focus. */
  readonly opener: RefObject<HTMLButtonElement | null>;
}

/** Creates the menu when it is first opened, since a library may hold thousands of items. */
function MoreMenu({ name, actions, menu, setMenu, opener }: MoreProps) {
  const label = `More about ${name}`;
  if (menu === 'never') {
    return (
      <ActionIcon
        className={classes['more'] ?? ''}
        size="sm"
        aria-label={label}
        aria-haspopup="menu"
        onClick={() => setMenu('open')}
      >
        <IconDots size={15} />
      </ActionIcon>
    );
  }
  return (
    <Menu
      position="bottom-end"
      withinPortal
      opened={menu === 'open'}
      onChange={(opened) => setMenu(opened ? 'open' : 'closed')}
    >
      <Menu.Target>
        <ActionIcon className={classes['more'] ?? ''} size="sm" aria-label={label}>
          <IconDots size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label: action, icon, act, isHarmful }) => (
          <Menu.Item
            key={action}
            leftSection={icon}
            onClick={() => {
              opener.current?.focus();
              act();
            }}
            {...(isHarmful ? { c: 'var(--bad)' } : {})}
          >
            {action}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
