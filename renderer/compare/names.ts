/** Names of compared runs. */
import { type RunSummary, runTitle } from '../../core/service/service.ts';

/** Returns the place of a run: the remote host, this machine, or the device that was recorded or simulated. */
function placeOf({ host, origin, device }: Pick<RunSummary, 'host' | 'origin' | 'device'>): string {
  if (host !== undefined) return host;
  return origin === 'measured' ? 'This machine' : device;
}

/** Returns the titles. Runs of one title get their place added, or their device if they share the place. */
export function distinctNames(runs: readonly RunSummary[]): string[] {
  const titles = runs.map(runTitle);
  return runs.map((run, at) => {
    const title = titles[at] ?? '';
    const alike = runs.filter((_, other) => titles[other] === title);
    if (new Set(alike.map(({ device, host, engine }) => `${device} ${host} ${engine}`)).size < 2) return title;
    const place = placeOf(run);
    const isShared = alike.filter((other) => placeOf(other) === place).length > 1;
    return `${isShared && run.device !== '' ? run.device : place}: ${title}`;
  });
}
