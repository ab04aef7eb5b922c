import { Button } from '@mantine/core';
import classes from './DoneText.module.css';

export interface DoneAction {
  readonly label: string;
  readonly act: () => void;
}

interface Props {
  readonly text: string;
  readonly action?: DoneAction;
  /** Called after the action. */
  readonly onDone: () => void;
}

/** Text about a finished action, with a button to undo it if possible. */
export function DoneText({ text, action, onDone }: Props) {
  return (
    <div className={classes['done']}>
      <span>{text}</span>
      {action === undefined ? null : (
        <Button
          variant="default"
          onClick={() => {
            onDone();
            action.act();
          }}
        >
          {action.label}
        </Button>
      )}
    </div>
  );
}
