/** Buttons of commands, for toolbars and pages. */
import { ActionIcon, Button, type ButtonProps, Tooltip } from '@mantine/core';
import { useApp } from '../store/store.ts';
import { type Command, withKeys } from './command.ts';

interface CommandProps extends ButtonProps {
  readonly command: Command;
  readonly label?: string;
  readonly pressed?: boolean;
}

export function CommandButton({ command: { name, icon: Icon, run }, label = name, pressed, ...look }: CommandProps) {
  return (
    <Button
      variant={pressed === true ? 'light' : 'default'}
      leftSection={Icon && <Icon size={15} aria-hidden />}
      aria-pressed={pressed}
      onClick={run}
      {...look}
    >
      {label}
    </Button>
  );
}

interface ToolProps {
  readonly command: Command;
  /** Text of the tooltip; by default the name with its keys. */
  readonly label?: string;
  /** Text of the tooltip while the command is unavailable. */
  readonly idle?: string;
  readonly pressed?: boolean;
  readonly size?: string;
  /** Called before the command. */
  readonly onUse?: () => void;
}

export function CommandTool({ command, label = withKeys(command), idle = label, pressed, size, onUse }: ToolProps) {
  const { name, icon: Icon, when, run } = command;
  const enabled = useApp((state) => when === undefined || when(state));
  return (
    <Tooltip label={enabled ? label : idle}>
      <ActionIcon
        {...(size === undefined ? {} : { size })}
        aria-label={name}
        aria-disabled={!enabled}
        {...(enabled ? {} : { 'data-disabled': true })}
        aria-pressed={pressed}
        onClick={() => {
          if (!enabled) return;
          onUse?.();
          run();
        }}
      >
        {Icon && <Icon size={16} />}
      </ActionIcon>
    </Tooltip>
  );
}
