/** What runs are called beside one another. */
import { type RunSummary, runTitle } from '../../core/service/service.ts';

/** Where it ran: the other machine, this one, or the device of what was recorded or simulated. */
function placeOf({ host, origin, device }: Pick<RunSummary, 'host' | 'origin' | 'device'>): string {
  if (host !== undefined) return host;
  return origin === 'measured' ? 'This machine' : device;
}

/** Their titles. Runs of one title are told apart by where they ran: by their devices where one machine has several of them. */
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
