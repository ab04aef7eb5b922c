import { SourceLink } from './SourceLink.tsx';

interface SourceListProps {
  readonly sources: readonly string[];
  readonly label?: string;
}

export const SourceList = ({ sources, label }: SourceListProps) => (
  <ul aria-label={label}>
    {sources.map((source) => (
      <li key={source}>
        <SourceLink source={source} />
      </li>
    ))}
  </ul>
);
