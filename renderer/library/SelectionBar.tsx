/** Actions on all selected items. */
import { Button, Text } from '@mantine/core';
import { IconColumns, IconPackageExport, IconTrash } from '@tabler/icons-react';
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { openComparison } from '../compare/actions.ts';
import { exportBundle } from '../files/files.ts';
import { deleteItems } from '../store/libraryActions.ts';
import { fitsComparison } from '../store/select.ts';
import { useApp } from '../store/store.ts';
import classes from './Library.module.css';
import { selectAll, selectedItems, stopSelecting, useLibrary } from './libraryView.ts';

export function SelectionBar({ order }: { readonly order: readonly string[] }) {
  const selected = useLibrary((state) => state.selected);
  const items = selectedItems(selected, order);
  const count = items.experiments.length + items.runs.length + items.sweeps.length;
  const runs = useApp((state) => state.runs);
  const comparable =
    items.runs.length === count && count >= 2 && fitsComparison(items.runs.flatMap((id) => runs[id] ?? []));
  const bar = useRef<HTMLElement>(null);
  useFocusGivenBack(bar);
  return (
    <section ref={bar} className={classes['selection']} aria-label="Selection">
      <Text size="sm" role="status">
        {count} selected
      </Text>
      <div className={classes['selectionButtons']}>
        <Button variant="default" disabled={count === order.length} onClick={() => selectAll(order)}>
          All
        </Button>
        <Button
          variant="default"
          disabled={!comparable}
          title={comparable ? undefined : 'Select two runs, or three if one is simulated'}
          leftSection={<IconColumns size={14} aria-hidden />}
          onClick={() => {
            stopSelecting();
            openComparison(items.runs);
          }}
        >
          Compare
        </Button>
        <Button
          variant="default"
          disabled={count === 0}
          leftSection={<IconPackageExport size={14} aria-hidden />}
          onClick={() => void exportBundle(items, 'copyscope library')}
        >
          Export
        </Button>
        <Button
          variant="default"
          disabled={count === 0}
          leftSection={<IconTrash size={14} aria-hidden />}
          onClick={() => {
            stopSelecting();
            void deleteItems(items);
          }}
        >
          Delete
        </Button>
        <Button variant="subtle" onClick={stopSelecting}>
          Done
        </Button>
      </div>
    </section>
  );
}

/** Moves the focus to the button that opened the bar when the bar disappears with the focus. */
function useFocusGivenBack(bar: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = bar.current;
    return () => {
      if (element?.contains(document.activeElement) !== true) return;
      document.querySelector<HTMLElement>('[aria-label="Select several"]')?.focus();
    };
  }, [bar]);
}
