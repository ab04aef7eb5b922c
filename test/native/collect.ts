/** JavaScript's garbage collector, for tests of collected objects. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
export const collect = runInNewContext('gc') as () => void;
