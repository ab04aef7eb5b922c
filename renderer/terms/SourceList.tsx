import { sourceLink } from '../../core/rules/sourceLinks.ts';

/** A source by its name, as a link if it is on the web. */
function SourceLink({ source }: { readonly source: string }) {
  const href = sourceLink(source);
  if (href === null) return source;
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {source}
    </a>
  );
}

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
