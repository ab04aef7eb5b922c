/** What has the focus in a list of the library goes when it is deleted: whoever works by keys goes on with what was next. */

const sectionOf = (name: string): string => `section[aria-label="${name}"]`;

/** Called before the deletion. Gives what to call when the lists are drawn without what was deleted. */
export function keepPlace(): () => void {
  const line = document.activeElement?.closest<HTMLElement>('[data-item]') ?? null;
  const section = line?.closest('section')?.getAttribute('aria-label');
  const lines = [...(line?.parentElement?.querySelectorAll<HTMLElement>('[data-item]') ?? [])];
  const at = line === null ? 0 : lines.indexOf(line);
  // The page may be another one then, with another library: keys outlast its elements.
  const keys = [...lines.slice(at + 1), ...lines.slice(0, at).reverse()].map(({ dataset }) => dataset['item'] ?? '');
  return () => {
    if (line === null || document.activeElement !== document.body) return;
    const places = keys.map((key) => `[data-item="${CSS.escape(key)}"] button`);
    for (const place of [...places, `${sectionOf('Library')} ${sectionOf(section ?? '')} button`]) {
      const target = document.querySelector<HTMLElement>(place);
      if (target === null) continue;
      target.focus();
      return;
    }
  };
}
