import { Kbd, Modal } from '@mantine/core';
import { shownKeys } from '../commands/command.ts';
import { assign, useApp } from '../store/store.ts';
import { areas, helpCommand } from './commands.ts';
import classes from './HelpOverlay.module.css';

export function HelpOverlay() {
  const opened = useApp((state) => state.helpOpen);
  return (
    <Modal opened={opened} onClose={() => assign({ helpOpen: false })} title={helpCommand.name} size={880}>
      <div className={classes['sections']}>
        {areas.map(({ title, commands, gestures = [] }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <dl>
              {[...commands, ...gestures].map(({ keys = [], name, help = name }) => (
                <div key={help}>
                  <dt>
                    {keys.map((key) => (
                      <Kbd key={key}>{shownKeys(key)}</Kbd>
                    ))}
                  </dt>
                  <dd>{help}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
