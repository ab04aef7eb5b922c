/** A student's results as a file. Nothing is sent, and it holds no name that was not typed. */
import { Button, Group, Modal, Text, TextInput } from '@mantine/core';
import { IconFileExport } from '@tabler/icons-react';
import { useState } from 'react';
import { type LessonResult, lessonResult, results } from '../../core/apps/lessons/results.ts';
import { saveBlob } from '../common/files.ts';
import { attempt, host } from '../store/host.ts';
import { progressOf, useLessonView } from '../store/lessonView.ts';
import { notifyDone } from '../store/notify.ts';
import { state } from '../store/store.ts';

export function ExportResults() {
  const [opened, setOpened] = useState(false);
  const [name, setName] = useState('');
  const save = (): void => {
    setOpened(false);
    void attempt('The results could not be saved', () => saveResults(name));
  };
  return (
    <>
      <Button variant="default" leftSection={<IconFileExport size={15} aria-hidden />} onClick={() => setOpened(true)}>
        Export my results
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title="Export my results">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            save();
          }}
        >
          <Text size="sm" mb="sm">
            A file with your answers, your tasks and the hints you opened. Give it to your teacher: nothing is sent.
          </Text>
          <TextInput
            label="Name"
            description="Leave it empty to give none: then nothing in the file says whose it is."
            value={name}
            maxLength={200}
            data-autofocus
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Group gap="xs" justify="flex-end" mt="md">
            <Button variant="default" onClick={() => setOpened(false)}>
              Cancel
            </Button>
            <Button type="submit">Save the file</Button>
          </Group>
        </form>
      </Modal>
    </>
  );
}

async function saveResults(name: string): Promise<void> {
  const own = await begunLessons();
  if (own.length === 0) return notifyDone('Nothing to export yet', 'Begin a lesson first: answer, or solve its task.');
  const content = `${JSON.stringify(results(own, name), null, 2)}\n`;
  const who = name
    .trim()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  saveBlob(`${who === '' ? 'my' : who}-lesson-results.json`, new Blob([content], { type: 'application/json' }));
}

async function begunLessons(): Promise<LessonResult[]> {
  const found: LessonResult[] = [];
  for (const { id, problem } of state().lessons) {
    const progress = progressOf(useLessonView.getState(), id);
    const isBegun = progress.finished || progress.passed.length > 0 || Object.keys(progress.answers).length > 0;
    if (problem === undefined && isBegun) found.push(lessonResult((await host().readLesson(id)).lesson, progress));
  }
  return found;
}
