/** The left panel: the library, or what the open experiment is built from. */
import { SegmentedControl } from '@mantine/core';
import { hasDocument } from '../app/page.ts';
import { useApp } from '../app/store/store.ts';
import { BuildPanel } from '../score/BuildPanel.tsx';
import { setEditor, useEditor } from '../score/editor.ts';
import classes from './Library.module.css';
import { Library } from './Library.tsx';

export function SidePanel() {
  const isDocument = useApp((state) => hasDocument(state.page));
  const side = useEditor((state) => state.side);
  if (!isDocument) return <Library />;
  return (
    <div className={classes['side']}>
      <SegmentedControl
        className={classes['switch'] ?? ''}
        size="xs"
        fullWidth
        aria-label="Left panel"
        data={[
          { value: 'library', label: 'Library' },
          { value: 'build', label: 'Build' },
        ]}
        value={side}
        onChange={(value) => setEditor({ side: value === 'build' ? 'build' : 'library' })}
      />
      <div className={classes['sideContent']}>{side === 'build' ? <BuildPanel /> : <Library />}</div>
    </div>
  );
}
