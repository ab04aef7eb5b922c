import { Button } from '@mantine/core';
import classes from './DoneText.module.css';

export interface DoneAction {
  readonly label: string;
  readonly act: () => void;
}

interface Props {
  readonly text: string;
  readonly action?: DoneAction;
  /** The action was taken. */
  readonly onDone: () => void;
}

/** What was done, and a way back where there is one. */
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
