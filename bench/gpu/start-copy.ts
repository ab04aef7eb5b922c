/**
 * startCopy of one payload in a process of its own; its times as JSON (see startCopyTimes.ts).
 *
 *   node dist/gpu/start-copy.js "1000 x 4000 B" 101
 */
import { measureStartCopy } from './measureStartCopy.ts';
import { smallPayloads } from './payloads.ts';

const [payload = '', repetitions = '101'] = process.argv.slice(2);
const sizes = smallPayloads[payload];
if (sizes === undefined) {
  console.error(`There is no payload "${payload}". Name one of: ${Object.keys(smallPayloads).join(', ')}.`);
  process.exit(2);
}
const device = process.env['COPY_DEVICE'] ?? 'cuda:0';
const { ns, checked, wrong } = await measureStartCopy(device, sizes, Number(repetitions));
console.log(JSON.stringify({ ns: ns['to the device'] ?? [], checked, wrong }));
