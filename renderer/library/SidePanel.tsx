/** The left panel: the library, or the building blocks of the open experiment. */

import { PanelSwitch } from '../common/PanelSwitch.tsx';
import { BuildPanel } from '../score/BuildPanel.tsx';
import { setEditor, useEditor } from '../score/editor.ts';
import { hasDocument } from '../store/page.ts';
import { useApp } from '../store/store.ts';
import classes from './Library.module.css';
import { Library } from './Library.tsx';

export function SidePanel() {
  const isDocument = useApp((state) => hasDocument(state.page));
  const side = useEditor((state) => state.side);
  if (!isDocument) return <Library />;
  return (
    <div className={classes['side']}>
      <PanelSwitch
        sides={{ library: 'Library', build: 'Build' }}
        value={side}
        onChange={(chosen) => setEditor({ side: chosen })}
      />
      <div className={classes['sideContent']}>{side === 'build' ? <BuildPanel /> : <Library />}</div>
    </div>
  );
}
