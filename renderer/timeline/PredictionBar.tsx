/** Progress of the open document's prediction, if it takes longer than a moment. */
import { Progress } from '@mantine/core';
import { useLasting } from '../common/useLasting.ts';
import { usePredicting } from '../predict/predicting.ts';
import { pageDocumentKey } from '../store/select.ts';
import { useApp } from '../store/store.ts';

/** Returns true if the open document is being predicted. */
export function useIsPredicted(): boolean {
  const document = useApp(pageDocumentKey);
  return usePredicting(({ predicting }) => predicting !== null && predicting.document === document);
}

interface Props {
  readonly className?: string | undefined;
}

export function PredictionBar(props: Props) {
  return useIsPredicted() ? <Bar {...props} /> : null;
}

function Bar({ className }: Props) {
  const progress = usePredicting(({ predicting }) => predicting?.progress ?? null);
  const isLasting = useLasting();
  if (!isLasting) return null;
  return (
    <Progress
      className={className ?? ''}
      size="sm"
      value={progress === null ? 100 : (100 * progress.done) / progress.total}
      animated={progress === null || progress.done === progress.total}
      aria-label="Progress of the prediction"
    />
  );
}
