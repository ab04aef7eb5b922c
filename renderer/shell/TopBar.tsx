import { ActionIcon, Button, Group, Menu, Text, Tooltip, useMantineColorScheme } from '@mantine/core';
import {
  IconChartBar,
  IconColumns,
  IconDeviceDesktop,
  IconKeyboard,
  IconMoon,
  IconSchool,
  IconSun,
} from '@tabler/icons-react';
import { openPage } from '../store/pages.ts';
import { assign, useApp } from '../store/store.ts';
import classes from './TopBar.module.css';

export function TopBar() {
  const remote = useApp((state) => state.about?.remote);
  const charting = useApp((state) => state.page.kind === 'charts');
  const comparing = useApp((state) => state.page.kind === 'compare');
  const learning = useApp((state) => state.page.kind === 'lessons' || state.page.kind === 'lesson');
  return (
    <header className={classes['bar']}>
      <button type="button" className={classes['brand']} onClick={() => openPage({ kind: 'welcome' })}>
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
        <Button
          variant={learning ? 'light' : 'default'}
          leftSection={<IconSchool size={16} aria-hidden />}
          aria-pressed={learning}
          onClick={() => openPage({ kind: 'lessons' })}
        >
          Lessons
        </Button>
        <Button
          variant={comparing ? 'light' : 'default'}
          leftSection={<IconColumns size={15} aria-hidden />}
          aria-pressed={comparing}
          onClick={() => comparing || openPage({ kind: 'compare' })}
        >
          Compare
        </Button>
        <Button
          variant={charting ? 'light' : 'default'}
          leftSection={<IconChartBar size={15} aria-hidden />}
          aria-pressed={charting}
          onClick={() => openPage({ kind: 'charts' })}
        >
          Charts
        </Button>
        <Tooltip label="Keyboard and mouse (?)">
          <ActionIcon aria-label="Keyboard and mouse" onClick={() => assign({ helpOpen: true })}>
            <IconKeyboard size={18} />
          </ActionIcon>
        </Tooltip>
        <ThemeMenu />
      </Group>
    </header>
  );
}

const schemes = [
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'dark', label: 'Dark', icon: IconMoon },
  { value: 'auto', label: 'As the system', icon: IconDeviceDesktop },
] as const;

function ThemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const current = schemes.find((scheme) => scheme.value === colorScheme) ?? schemes[2];
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Tooltip label="Theme">
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
