/** Asks before a sweep goes, with all its runs. */
import { Button, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import { type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { SweepSummary } from '../../core/service/service.ts';
import { useApp } from '../app/store/store.ts';
import { ErrorText } from '../common/ErrorText.tsx';
import { deleteSweep } from './actions.ts';
import classes from './SweepPage.module.css';

interface Props {
  readonly sweep: Pick<SweepSummary, 'id' | 'name' | 'done'>;
  readonly onClose: () => void;
}

export function DeleteDialog({ sweep: { id, name, done }, onClose }: Props) {
  const bin = useApp((state) => state.about?.bin === true);
  const [refused, setRefused] = useState<ErrorInfo | null>(null);
  const forGood = !bin || refused !== null;
  const act = async (): Promise<void> => {
    try {
      await deleteSweep(id, forGood);
      onClose();
    } catch (thrown) {
      setRefused(toErrorInfo(thrown));
    }
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title="Delete the sweep?"
      centered
      size="sm"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {refused === null ? null : <ErrorText error={refused} />}
      <Text mb="md">
        “{name}” and the runs of its {done} points{' '}
        {forGood ? 'are removed from this computer. This can’t be undone.' : 'are moved to the bin.'}
      </Text>
      <div className={classes['answers']}>
        <Button variant="default" onClick={onClose} data-autofocus>
          Keep it
        </Button>
        <Button color="red" onClick={() => void act()}>
          {forGood ? 'Delete for good' : 'Delete'}
        </Button>
      </div>
    </Modal>
  );
}
