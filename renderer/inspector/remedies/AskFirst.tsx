/** Hides a suggested change while a lesson's task is open, until the learner asks for it. */
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
      Show the suggested change
    </Button>
  );
}
