import { VisuallyHidden } from '@mantine/core';
import { useAnnouncement } from '../store/announce.ts';

export function Announcer() {
  const { text, number } = useAnnouncement();
  return (
    <VisuallyHidden role="status" aria-live="polite" data-testid="announcement">
      <span key={number}>{text}</span>
    </VisuallyHidden>
  );
}
