import { Kbd, Modal } from '@mantine/core';
import { assign, useApp } from '../store/store.ts';
import classes from './HelpOverlay.module.css';
import { keySections } from './keys.ts';

export function HelpOverlay() {
  const opened = useApp((state) => state.helpOpen);
  return (
    <Modal opened={opened} onClose={() => assign({ helpOpen: false })} title="Keyboard and mouse" size={880}>
      <div className={classes['sections']}>
        {keySections.map(({ title, entries }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <dl>
              {entries.map(({ keys, does }) => (
                <div key={does}>
                  <dt>
                    {keys.map((key) => (
                      <Kbd key={key}>{key}</Kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
