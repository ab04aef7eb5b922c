/**
 * Names that say which process they belong to. Several processes may share one data folder: each clears away only what
 * those that have ended left behind, however they ended.
 */
import { randomUUID } from 'node:crypto';

/** Of this process and no other: where processes are numbered anew, as in a container, the next one has the same number. */
const session = randomUUID().slice(0, 8);

/** As `712-0f3a9c1e-5b2d8c47`. Nothing else has it. */
export const ownName = (): string => `${process.pid}-${session}-${randomUUID().slice(0, 8)}`;

const pattern = /(?:^|\.)(\d+)-([0-9a-f]{8})(?:-[0-9a-f]{8})?(?:\.tmp)?$/;

/** Whether it is such a name, also as the end of a longer one, of a process that has ended. */
export function isLeftBehind(name: string): boolean {
  const [, number = '', itsSession = ''] = pattern.exec(name) ?? [];
  if (number === '') return false;
  const pid = Number(number);
  return pid === process.pid ? itsSession !== session : !isAlive(pid);
}

/** Whether there is a process of this number, whoever it belongs to. */
export function isAlive(pid: number): boolean {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
