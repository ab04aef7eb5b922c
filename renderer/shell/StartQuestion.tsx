/** Asks before the host starts a program, and names it. */
import { Button, Code, Group, Modal, Text } from '@mantine/core';
import { Fragment } from 'react';
import { type StartKind, unconfirmedWords } from '../../core/service/starts.ts';
import { useLast } from '../common/hooks.ts';
import { useStarts } from '../store/connection/askBeforeStarts.ts';

const kindWords: Readonly<Record<StartKind, string>> = {
  recording: 'the next programs that you record',
  ssh: 'ssh to any host',
  slurm: 'jobs of Slurm',
};

/** Keeps an option on one line, since browsers break lines after hyphens. */
const wholeWord = { display: 'inline-block', maxWidth: '100%', overflowWrap: 'anywhere' } as const;

const wordsOf = (text: string): string[] => text.replace(unconfirmedWords, '').split(' ');

export function StartQuestion() {
  const { question } = useStarts();
  const shown = useLast(question);
  const refuse = (): void => question?.answer(false);
  return (
    <Modal opened={question !== null} onClose={refuse} title="Start this program?">
      {shown === null ? null : (
        <>
          <Code block style={{ whiteSpace: 'pre-wrap' }}>
            {wordsOf(shown.text).map((word, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: words never move.
              <Fragment key={at}>
                <span style={wholeWord}>{word}</span>{' '}
              </Fragment>
            ))}
          </Code>
          <Text size="sm" c="dimmed" mt="xs">
            If you agree, this page starts {kindWords[shown.kind]} without a question.
          </Text>
          <Group gap="xs" justify="flex-end" mt="md">
            <Button variant="default" onClick={refuse} data-autofocus>
              Cancel
            </Button>
            <Button onClick={() => question?.answer(true)}>Start</Button>
          </Group>
        </>
      )}
    </Modal>
  );
}
