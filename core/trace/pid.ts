/**
 * Process ids in a trace merged from several ranks. Mergers such as SGLang's keep each rank's own device, stream and
 * call numbers, and put the rank next to the number of process or device: "[TP00] 424" for the host, "[TP00] 0" for its
 * GPU.
 */

export interface Pid {
  /** Text next to the number, as one word: '[TP00]'. Empty in a trace of one process. */
  readonly rank: string;
  /** Number as written; empty if there is none. */
  readonly number: string;
}

/** Longer ranks, as in a hostile file, are cut, so that they fit into a device's id. */
const longestRank = 60;
const longestPid = 200;

/** Looks for the number at the end, or else at the beginning, since a rank has digits of its own. */
export function readPid(text: string): Pid {
  const pid = text.slice(0, longestPid);
  const [number = ''] = /^-?\d+|\d+(?=\D*$)/.exec(pid) ?? [];
  const at = pid.startsWith(number) ? 0 : pid.lastIndexOf(number);
  const rank = `${pid.slice(0, at)} ${pid.slice(at + number.length)}`;
  return { rank: rank.trim().replace(/\s+/g, '_').slice(0, longestRank), number };
}
