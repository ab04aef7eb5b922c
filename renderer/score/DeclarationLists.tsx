/** Buffers, streams, events, signals, host threads and devices, each with its number of uses. */
import { ActionIcon, Button, Group, Modal, Text, Tooltip } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import {
  countUsage,
  type DeclarationKind,
  declarationKinds,
  declarationNames,
  deleteDeclaration,
} from '../../core/experiment/edit/declarations.ts';
import { bytesText } from '../../core/experiment/edit/quantities.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { addWords } from '../../core/experiment/operations/fields.ts';
import { bufferBytes } from '../../core/experiment/resources.ts';
import { useLast } from '../common/hooks.ts';
import { edit } from '../store/editing/edit.ts';
import { select, useApp } from '../store/store.ts';
import classes from './BuildPanel.module.css';
import { addDeclared } from './edits.ts';

const titles: Readonly<Record<DeclarationKind, string>> = {
  buffers: 'Buffers',
  streams: 'Streams',
  events: 'Events',
  signals: 'Signals',
  threads: 'Host threads',
  devices: 'Devices',
};

export function DeclarationLists({ experiment }: { readonly experiment: Experiment }) {
  const usage = useMemo(() => countUsage(experiment), [experiment]);
  const [doomed, setDoomed] = useState<Doomed | null>(null);
  const remove = (kind: DeclarationKind, id: string): void => {
    const uses = usage[kind].get(id) ?? 0;
    if (uses > 0) setDoomed({ kind, id, uses });
    else void deleteNow({ kind, id, uses });
  };
  return (
    <>
      {declarationKinds.map((kind) => (
        <section key={kind} className={classes['list']} aria-label={titles[kind]}>
          <div className={classes['head']}>
            <h3>{titles[kind]}</h3>
            <Tooltip label={addWords(kind)}>
              <ActionIcon size="sm" aria-label={addWords(kind)} onClick={() => void addDeclared(kind)}>
                <IconPlus size={15} />
              </ActionIcon>
            </Tooltip>
          </div>
          <ul>
            {experiment[kind].slice(0, mostListed).map(({ id }) => (
              <Declared
                key={id}
                experiment={experiment}
                kind={kind}
                id={id}
                uses={usage[kind].get(id) ?? 0}
                onDelete={() => remove(kind, id)}
              />
            ))}
          </ul>
          {experiment[kind].length > mostListed ? (
            <Text size="xs" c="dimmed">
              and {experiment[kind].length - mostListed} more, in the JSON
            </Text>
          ) : null}
        </section>
      ))}
      <DeleteUsed doomed={doomed} onClose={() => setDoomed(null)} />
    </>
  );
}

const mostListed = 200;

interface Doomed {
  readonly kind: DeclarationKind;
  readonly id: string;
  readonly uses: number;
}

const deleteNow = ({ kind, id }: Doomed): Promise<boolean> =>
  edit(`Delete ${declarationNames[kind]} ${id}`, (experiment) =>
    deleteDeclaration(experiment, kind, id, { withUses: true }),
  );

interface DeclaredProps extends Doomed {
  readonly experiment: Experiment;
  readonly onDelete: () => void;
}

function Declared({ experiment, kind, id, uses, onDelete }: DeclaredProps) {
  const selected = useApp(
    ({ selection }) => selection?.kind === 'declaration' && selection.list === kind && selection.id === id,
  );
  const used = uses === 0 ? 'not used' : `${uses}×`;
  return (
    <li data-selected={selected || undefined}>
      <button
        type="button"
        className={classes['name']}
        aria-pressed={selected}
        aria-label={[declarationNames[kind], id, detailOf(experiment, kind, id), used]
          .filter((part) => part !== '')
          .join(' ')}
        onClick={() => select({ kind: 'declaration', list: kind, id })}
      >
        <span>{id}</span> <small>{detailOf(experiment, kind, id)}</small>{' '}
        <span className={`${classes['uses']} tabular`}>{used}</span>
      </button>
      <ActionIcon size="sm" aria-label={`Delete ${declarationNames[kind]} ${id}`} onClick={onDelete}>
        <IconTrash size={14} />
      </ActionIcon>
    </li>
  );
}

function detailOf(experiment: Experiment, kind: DeclarationKind, id: string): string {
  if (kind === 'buffers') {
    const buffer = experiment.buffers.find((one) => one.id === id);
    return buffer === undefined ? '' : `${buffer.memory}, ${bytesText(bufferBytes(buffer))}`;
  }
  if (kind === 'streams') return experiment.streams.find((one) => one.id === id)?.flags ?? '';
  if (kind === 'devices') return `cuda:${experiment.devices.find((one) => one.id === id)?.index ?? 0}`;
  return '';
}

function DeleteUsed({ doomed, onClose }: { readonly doomed: Doomed | null; readonly onClose: () => void }) {
  const shown = useLast(doomed);
  return (
    <Modal opened={doomed !== null} onClose={onClose} title="Delete it with its uses?">
      <Text mb="md">
        “{shown?.id}” is used {shown?.uses === 1 ? 'once' : `${shown?.uses} times`}. Its uses are deleted too. You can
        undo this.
      </Text>
      <Group gap="xs" justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          Keep it
        </Button>
        <Button
          color="red"
          onClick={() => {
            if (doomed !== null) void deleteNow(doomed);
            onClose();
          }}
        >
          Delete both
        </Button>
      </Group>
    </Modal>
  );
}
