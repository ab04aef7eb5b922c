/** A source by its name, which opens it where it is on the web. */
import { sourceLink } from '../../core/rules/sourceLinks.ts';

export function SourceLink({ source }: { readonly source: string }) {
  const href = sourceLink(source);
  if (href === null) return source;
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {source}
    </a>
  );
}
