/** Opens files dropped anywhere on the window. Blocks of the score are dragged by pointer, without drop events. */
import { IconFileImport } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import classes from './DropZone.module.css';
import { openFiles } from './files.ts';

const holdsFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true;

export function DropZone() {
  const [isOver, setOver] = useState(false);
  useEffect(() => watchDrops(setOver), []);
  if (!isOver) return null;
  return (
    <div className={classes['zone']}>
      <div className={classes['card']} role="status">
        <IconFileImport size={28} aria-hidden />
        <strong>Drop to open</strong>
        <span>
          Runs (.arrow), experiments (.json), bundles (.copyscope), PyTorch traces (.json, .gz), Nsight Systems
          (.sqlite, .nsys-rep)
        </span>
      </div>
    </div>
  );
}

function watchDrops(setOver: (over: boolean) => void): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const over = (event: DragEvent): void => {
    if (!holdsFiles(event)) return;
    // Without this the browser would open the file in place of the window.
    event.preventDefault();
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy';
    setOver(true);
  };
  const leave = (event: DragEvent): void => {
    if (event.relatedTarget === null) setOver(false);
  };
  const drop = (event: DragEvent): void => {
    setOver(false);
    if (!holdsFiles(event)) return;
    event.preventDefault();
    void openFiles([...(event.dataTransfer?.files ?? [])]);
  };
  window.addEventListener('dragenter', over, { signal });
  window.addEventListener('dragover', over, { signal });
  window.addEventListener('dragleave', leave, { signal });
  window.addEventListener('drop', drop, { signal });
  return () => stop.abort();
}
