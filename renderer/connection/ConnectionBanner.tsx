import { Button, Loader } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useApp } from '../store/store.ts';
import classes from './ConnectionBanner.module.css';
import { connect } from './connect.ts';

/** Says that the host is gone, and what the window does about it. The content stays on screen. */
export function ConnectionBanner() {
  const { status, problem } = useApp((state) => state.connection);
  const known = useApp((state) => state.libraryReady);
  if (status === 'open') return null;
  if (status === 'connecting') {
    return known ? (
      <div className={classes['banner']} role="status">
        <Loader size={14} /> Connecting to the host…
      </div>
    ) : null;
  }
  const ended = problem?.code === 'connection.ended';
  return (
    <div className={classes['banner']} data-lost role="alert">
      <IconPlugConnectedX size={18} aria-hidden />
      {ended ? (
        <span>
          <strong>This window has no session.</strong> {problem.message} {problem.remedy}
        </span>
      ) : (
        <span>
          <strong>Not connected.</strong> {problem?.message} Trying again by itself. {problem?.remedy}
        </span>
      )}
      <Button variant="default" onClick={connect}>
        Reconnect
      </Button>
    </div>
  );
}
