/** A host name on ssh's command line is never an option or a command of a shell. */
import { describe, expect, it } from 'vitest';
import { requireHostName } from '../../../host/remote/ssh.ts';

describe('the name of a machine', () => {
  it.each(['gpu-box', 'me@gpu-box.example', '[::1]', '10.0.0.7', 'grün', '_a'])('may be %s', (name) => {
    expect(requireHostName(name)).toBe(name);
  });

  it.each([
    '-oProxyCommand=touch /tmp/x',
    '-F/tmp/config',
    '',
    ' gpu-box',
    'gpu box',
    'gpu-box\n-oProxyCommand=x',
    '$(touch x)',
    'a`touch x`',
    'a;touch x',
    'a|b',
    "a'b",
    'a"b',
    'a\\b',
    'a&b',
    'a>b',
    'a*',
    'a!b',
    `a${'b'.repeat(200)}`,
  ])('is not %j', (name) => {
    expect(() => requireHostName(name)).toThrow('is no name that ssh takes for a host');
  });
});
