/**
 * The processes of a trace that was merged of several ranks. Mergers, as SGLang's, leave the numbers of devices, streams
 * and calls as each rank counted them, and write the rank beside the number of its process or device: "[TP00] 424" for
 * the host, "[TP00] 0" for its GPU.
 */

export interface Pid {
  /** What stands beside the number, as one word: '[TP00]'. Empty where nothing does, as in a trace of one process. */
  readonly rank: string;
  /** As written; empty where there is none. */
  readonly number: string;
}

/** Longer ones of a hostile file are cut, so that they fit into a device's id. */
const longestRank = 60;
const longestPid = 200;

/** The number stands at the end, or else at the begin: a rank has digits of its own. */
export function readPid(text: string): Pid {
  const pid = text.slice(0, longestPid);
  const [number = ''] = /^-?\d+|\d+(?=\D*$)/.exec(pid) ?? [];
  const at = pid.startsWith(number) ? 0 : pid.lastIndexOf(number);
  const rank = `${pid.slice(0, at)} ${pid.slice(at + number.length)}`;
  return { rank: rank.trim().replace(/\s+/g, '_').slice(0, longestRank), number };
}
