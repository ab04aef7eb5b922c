/** In a lesson whose task is open, what to change is for the learner to find: it stays closed until it is asked for. */
import { Button } from '@mantine/core';
import { IconBulb } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useLessonView } from '../../store/lessonView.ts';

export function AskFirst({ children }: { readonly children: ReactNode }) {
  const solving = useLessonView((view) => view.solving);
  const [asked, setAsked] = useState(false);
  if (!solving || asked) return children;
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      leftSection={<IconBulb size={14} aria-hidden />}
      onClick={() => setAsked(true)}
    >
      Show what to change
    </Button>
  );
}
