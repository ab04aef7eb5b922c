import { ActionIcon, Group, Menu, Text, Tooltip, useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import { useRef } from 'react';
import { CommandButton, CommandTool } from '../commands/buttons.tsx';
import { useRoving } from '../common/roving.ts';
import { useSidePanels } from '../store/sidePanels.ts';
import { useApp } from '../store/store.ts';
import { helpCommand, learnCommands, windowCommands } from './commands.ts';
import classes from './TopBar.module.css';

export function TopBar() {
  const remote = useApp((state) => state.about?.remote);
  const charting = useApp((state) => state.page.kind === 'charts');
  const comparing = useApp((state) => state.page.kind === 'compare');
  const learning = useApp((state) => state.page.kind === 'lessons' || state.page.kind === 'lesson');
  const [left, inspector] = useSidePanels();
  const bar = useRef<HTMLDivElement>(null);
  useRoving(bar);
  return (
    <header className={classes['bar']}>
      <div className={classes['tools']} ref={bar} role="toolbar" aria-label="Window">
        <CommandTool command={windowCommands.left} pressed={left?.hidden === false} />
        <button type="button" className={classes['brand']} onClick={windowCommands.welcome.run}>
          <img src="./copyscope.svg" width={22} height={22} alt="" />
          <span>Copyscope</span>
        </button>
        {remote === undefined ? (
          <Text size="xs" c="dimmed" visibleFrom="md" truncate>
            CUDA transfer experiments: run them, see what overlapped, and why
          </Text>
        ) : (
          <Text size="sm" fw={600} truncate>
            This window shows the library of {remote}
          </Text>
        )}
        <Group gap={6} ml="auto" wrap="nowrap">
          <CommandButton command={learnCommands.lessons} pressed={learning} />
          <CommandButton command={windowCommands.compare} label="Compare" pressed={comparing} />
          <CommandButton command={windowCommands.charts} pressed={charting} />
          <CommandTool command={helpCommand} />
          <ThemeMenu />
          {inspector === undefined ? null : (
            <CommandTool command={windowCommands.inspector} pressed={!inspector.hidden} />
          )}
        </Group>
      </div>
    </header>
  );
}

const schemes = [
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'dark', label: 'Dark', icon: IconMoon },
  { value: 'auto', label: 'System', icon: IconDeviceDesktop },
] as const;

function ThemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const current = schemes.find((scheme) => scheme.value === colorScheme) ?? schemes[2];
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Tooltip label="Theme" position="left">
          <ActionIcon aria-label={`Theme: ${current.label}`}>
            <current.icon size={18} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(({ value, label, icon: Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon size={16} />}
            aria-current={value === colorScheme}
            fw={value === colorScheme ? 600 : 400}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
