/** The menu next to everything drawn: it saves or copies a picture of a chosen width, or the figures. */
import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core';
import { IconChevronDown, IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { create } from 'zustand';
import { toErrorInfo } from '../../core/errors.ts';
import { type Drawn, pngOf, saveBlob } from '../common/files.ts';
import { notifyDone, notifyError } from '../store/notify.ts';
import { recall, remember } from '../store/settings.ts';

export interface Saved {
  /** Name of the menu, such as 'Save Engine use'. */
  readonly name: string;
  /** Name of the saved files, without an ending. */
  readonly fileName: string;
  /** Draws the picture with a width in pixels. */
  readonly svg: (width: number) => Drawn | Promise<Drawn>;
  /** Saves the figures as a CSV file. */
  readonly figures: () => unknown;
  /** Saves a report of the whole run with its lanes; left out if there is no report. */
  readonly report?: (() => unknown) | undefined;
  /** Returns the figures for the clipboard; left out if there are too many. */
  readonly text?: (() => string) | undefined;
}

const widths = [800, 1200, 1920, 3840] as const;
const standardWidth = 1200;

const useWidth = create<{ readonly width: number }>()(() => ({ width: rememberedWidth() }));

function rememberedWidth(): number {
  const width = Number(recall('picture-width'));
  return widths.find((one) => one === width) ?? standardWidth;
}

function chooseWidth(width: number): void {
  useWidth.setState({ width });
  remember('picture-width', String(width));
}

interface Props {
  readonly saved: Saved;
  /** Shows an icon instead of a button with text. */
  readonly compact?: boolean;
}

export function SaveMenu({ saved, compact = false }: Props) {
  const { name } = saved;
  const [opened, setOpened] = useState(false);
  return (
    <Menu position="bottom-end" withinPortal opened={opened} onChange={setOpened}>
      {compact ? (
        <Tooltip label={`Save ${name}`} disabled={opened}>
          <Menu.Target>
            <ActionIcon aria-label={`Save ${name}`}>
              <IconDownload size={16} />
            </ActionIcon>
          </Menu.Target>
        </Tooltip>
      ) : (
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<IconDownload size={14} aria-hidden />}
            rightSection={<IconChevronDown size={12} aria-hidden />}
            aria-label={`Save ${name}`}
          >
            Save
          </Button>
        </Menu.Target>
      )}
      <Menu.Dropdown aria-label={`Save ${name}`}>
        <Items saved={saved} />
      </Menu.Dropdown>
    </Menu>
  );
}

function Items({ saved }: { readonly saved: Saved }) {
  const width = useWidth((state) => state.width);
  const { fileName, svg, figures, report, text } = saved;
  const save = (as: 'png' | 'svg') => async (): Promise<void> => {
    const drawn = await svg(width);
    saveBlob(
      `${fileName}.${as}`,
      as === 'png' ? await pngOf(drawn) : new Blob([drawn.text], { type: 'image/svg+xml' }),
    );
  };
  const copy = async (): Promise<void> => {
    // The clipboard takes a promise, since it must be used right after the click or key.
    const png = Promise.resolve(svg(width)).then(pngOf);
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': png })]);
    notifyDone('The picture is on the clipboard', 'Paste it where you need it.');
  };
  return (
    <>
      <Menu.Item onClick={attempted(save('png'))}>Picture (PNG)</Menu.Item>
      <Menu.Item onClick={attempted(save('svg'))}>Drawing (SVG)</Menu.Item>
      <Menu.Item onClick={attempted(copy)}>Copy the picture</Menu.Item>
      <Menu.Label>Width of pictures</Menu.Label>
      <Menu.RadioGroup value={String(width)} onChange={(value) => chooseWidth(Number(value))}>
        {widths.map((one) => (
          <Menu.RadioItem key={one} value={String(one)}>
            {one} pixels
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      <Menu.Divider />
      <Menu.Item onClick={attempted(figures)}>Figures (CSV)</Menu.Item>
      <Menu.Item disabled={text === undefined} onClick={attempted(() => copyText(text?.() ?? ''))}>
        {text === undefined ? 'Too many figures to copy' : 'Copy the figures (CSV)'}
      </Menu.Item>
      {report === undefined ? null : (
        <>
          <Menu.Divider />
          <Menu.Item onClick={attempted(report)}>Report of the run (HTML)</Menu.Item>
        </>
      )}
    </>
  );
}

async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  notifyDone('The figures are on the clipboard', 'Paste them into a spreadsheet or a text.');
}

const attempted = (act: () => unknown) => async (): Promise<void> => {
  try {
    await act();
  } catch (thrown) {
    notifyError('It could not be saved', toErrorInfo(thrown, 'picture.not-saved'));
  }
};
