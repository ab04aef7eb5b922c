import { SegmentedControl } from '@mantine/core';
import classes from './PanelSwitch.module.css';

interface Props<Side extends string> {
  /** Labels of the choices. */
  readonly sides: Readonly<Record<Side, string>>;
  readonly value: Side;
  readonly onChange: (side: Side) => void;
}

/** The switch above the left panel that picks its content. */
export function PanelSwitch<Side extends string>({ sides, value, onChange }: Props<Side>) {
  return (
    <SegmentedControl<Side>
      className={classes['switch'] ?? ''}
      size="xs"
      fullWidth
      aria-label="Left panel"
      data={(Object.keys(sides) as Side[]).map((side) => ({ value: side, label: sides[side] }))}
      value={value}
      onChange={onChange}
    />
  );
}
