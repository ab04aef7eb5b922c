/** Makes a lesson of an opened trace: a text file that a teacher edits. */
import { Button, Menu } from '@mantine/core';
import { IconFilePlus } from '@tabler/icons-react';
import { lessonOfPlan } from '../../core/apps/lessons/fromPlan.ts';
import { runName } from '../../core/trace/run.ts';
import { saveBlob } from '../common/files.ts';
import { liftedExperiment, planOf, workOut } from '../plan/planStore.ts';
import { attempt } from '../store/host.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { useApp } from '../store/store.ts';

export function MakeLesson() {
  const loaded = useApp(({ loadedRuns }) => loadedRuns);
  const traces = Object.values(loaded).flatMap((one) =>
    one?.status === 'ready' && one.value.run.info.experiment === null ? [one.value] : [],
  );
  return (
    <Menu position="bottom-start" withinPortal>
      <Menu.Target>
        <Button variant="default" leftSection={<IconFilePlus size={15} aria-hidden />}>
          Make a lesson
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {traces.length === 0 ? (
          <Menu.Label>Open a trace first. It becomes a lesson that you edit as text.</Menu.Label>
        ) : null}
        {traces.map((trace) => (
          <Menu.Item key={trace.id} onClick={() => void attempt('The lesson could not be made', () => make(trace))}>
            From {runName(trace.run.info)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

async function make(trace: LoadedRun): Promise<void> {
  if (planOf(trace.id).plan === null) await workOut(trace);
  const { answer, plan } = planOf(trace.id);
  const name = runName(trace.run.info);
  const file = lessonOfPlan(name, await liftedExperiment(trace, []), { answer, plan: plan ?? [] });
  saveBlob(`${name.replace(/[^A-Za-z0-9]+/g, '-').toLowerCase()}.md`, new Blob([file], { type: 'text/markdown' }));
}
