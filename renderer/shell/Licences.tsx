/** Help > Licences: third-party code with its licences. The build writes the page (scripts/lib/licences.mjs). */
import { Loader, Modal } from '@mantine/core';
import { useEffect, useState } from 'react';
import { type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import { ErrorText } from '../common/Page.tsx';
import { assign, useApp } from '../store/store.ts';
import classes from './Licences.module.css';

const file = 'third-party.md';

export function Licences() {
  const opened = useApp((state) => state.licencesOpen);
  return (
    <Modal opened={opened} onClose={() => assign({ licencesOpen: false })} title="Licences" size={720}>
      <Texts />
    </Modal>
  );
}

function Texts() {
  const [text, setText] = useState<string | ErrorInfo | null>(null);
  useEffect(() => {
    void read().then(setText, (thrown: unknown) => setText(toErrorInfo(thrown)));
  }, []);
  if (text === null) return <Loader size={18} />;
  if (typeof text !== 'string') return <ErrorText error={text} />;
  const [opening = '', ...works] = text.split(/^## /m);
  return (
    <>
      <p className={classes['opening']}>{opening.replace(/^# .*$/m, '').trim()}</p>
      {works.map((work) => {
        const end = work.indexOf('\n');
        return (
          <details key={work.slice(0, end)} className={classes['work']}>
            <summary>{work.slice(0, end)}</summary>
            <pre>{work.slice(end).trim()}</pre>
          </details>
        );
      })}
    </>
  );
}

async function read(): Promise<string> {
  const answer = await fetch(file);
  if (!answer.ok) throw new Error(`The licences could not be read: ${answer.status} ${answer.statusText}.`);
  return answer.text();
}
