import { ActionIcon, Select, Tooltip } from '@mantine/core';
import { IconCpu, IconCpu2, IconDeviceSdCard, IconRefresh, IconWaveSawTool } from '@tabler/icons-react';
import { type EngineOption, effectiveEngine, parseEngineKey } from '../store/engines.ts';
import { refreshDevices } from '../store/hostEvents.ts';
import { pickEngine } from '../store/runs.ts';
import { currentEngineOptions } from '../store/select.ts';
import { useApp, useDerived } from '../store/store.ts';
import classes from './EnginePicker.module.css';

const icons = { cuda: IconCpu2, cpu: IconCpu, sim: IconWaveSawTool, recorded: IconDeviceSdCard } as const;

/** Lists every engine. An engine that can't run is listed with the reason and a remedy. */
export function EnginePicker({ options: given }: { readonly options?: readonly EngineOption[] }) {
  const own = useDerived(currentEngineOptions);
  const options = given ?? own;
  const picked = useApp((state) => state.engine);
  const value = effectiveEngine(options, picked);
  const unavailable = options.some((option) => option.problem !== undefined);
  return (
    <Select
      aria-label="Engine"
      title={options.find(({ key }) => key === value)?.label ?? ''}
      styles={{ options: { maxHeight: 'min(480px, 60vh)' } }}
      className={classes['picker'] ?? ''}
      data={options.map(({ key, label, problem }) => ({ value: key, label, disabled: problem !== undefined }))}
      value={value}
      placeholder="No engine"
      onChange={(key) => {
        if (key !== null) pickEngine(key);
      }}
      leftSection={<EngineIcon engine={value} />}
      comboboxProps={{ width: 340, position: 'bottom-end' }}
      renderOption={({ option }) => <Option option={options.find(({ key }) => key === option.value)} />}
      rightSectionPointerEvents="all"
      {...(unavailable ? { rightSection: <RefreshButton /> } : {})}
    />
  );
}

function RefreshButton() {
  return (
    <Tooltip label="Look for devices again">
      <ActionIcon size="sm" aria-label="Look for devices again" onClick={() => void refreshDevices(true)}>
        <IconRefresh size={14} />
      </ActionIcon>
    </Tooltip>
  );
}

function EngineIcon({ engine }: { readonly engine: string | null }) {
  const Icon = icons[parseEngineKey(engine ?? 'cuda').kind];
  return <Icon size={15} aria-hidden />;
}

function Option({ option }: { readonly option: EngineOption | undefined }) {
  if (option === undefined) return null;
  const { label, detail, problem } = option;
  return (
    <div className={classes['option']} data-unavailable={problem !== undefined || undefined}>
      <EngineIcon engine={option.key} />
      <div>
        <div className={classes['label']}>{label}</div>
        <div className={classes['detail']}>
          {problem === undefined ? detail : `${problem.message} ${problem.remedy ?? ''}`}
        </div>
      </div>
    </div>
  );
}
