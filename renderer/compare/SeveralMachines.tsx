/** Asks which machines run the experiment: other ones, this one, and simulated ones. */
import { Button, Checkbox, Group, Modal, Text } from '@mantine/core';
import { IconPlayerPlayFilled } from '@tabler/icons-react';
import type { EngineOption } from '../store/engines.ts';
import { openPage } from '../store/pages.ts';
import { currentEngineOptions } from '../store/select.ts';
import { useDerived } from '../store/useDerived.ts';
import { mostCompared } from './actions.ts';
import classes from './SeveralMachines.module.css';
import { closeSeveral, offeredEngines, runOnSeveral, setChosen, useSeveral } from './several.ts';

export function SeveralMachines() {
  const isOpen = useSeveral((state) => state.isOpen);
  return (
    <Modal opened={isOpen} onClose={closeSeveral} title="Run on several machines" size="lg">
      <Choices />
    </Modal>
  );
}

function Choices() {
  const options = useDerived((state) => offeredEngines(currentEngineOptions(state)));
  const chosen = useSeveral((state) => state.chosen);
  // One that has said meanwhile that it can't is no longer among them.
  const able = chosen.flatMap(
    (key) => options.find((option) => option.key === key && option.problem === undefined) ?? [],
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (able.length >= 2) void runOnSeveral(able);
      }}
    >
      <Text size="sm" c="dimmed" mb="sm">
        Different machines run it at the same time, engines of one machine one after another. Each run is kept in the
        library; the first one chosen is what the others are compared with.
      </Text>
      <Checkbox.Group value={able.map(({ key }) => key)} onChange={setChosen} aria-label="Machines">
        <div className={classes['choices']}>
          {options.map((option) => (
            <Choice
              key={option.key}
              option={option}
              isFull={able.length >= mostCompared && !able.some(({ key }) => key === option.key)}
            />
          ))}
        </div>
      </Checkbox.Group>
      <Group justify="space-between" mt="md" gap="xs">
        <Button
          variant="subtle"
          color="gray"
          onClick={() => {
            closeSeveral();
            openPage({ kind: 'machines' });
          }}
        >
          Add a machine…
        </Button>
        <Group gap="xs">
          <Button variant="default" onClick={closeSeveral}>
            Cancel
          </Button>
          <Button
            type="submit"
            leftSection={<IconPlayerPlayFilled size={13} aria-hidden />}
            disabled={able.length < 2}
            title={able.length < 2 ? 'Choose two or more' : undefined}
          >
            {able.length < 2 ? 'Run' : `Run on ${able.length}`}
          </Button>
        </Group>
      </Group>
    </form>
  );
}

function Choice({ option, isFull }: { readonly option: EngineOption; readonly isFull: boolean }) {
  const { key, label, detail, problem } = option;
  const about = problem === undefined ? detail : `${problem.message} ${problem.remedy ?? ''}`;
  return (
    <Checkbox
      classNames={{ description: classes['about'] ?? '' }}
      value={key}
      size="xs"
      label={label}
      description={about}
      disabled={problem !== undefined || isFull}
    />
  );
}
