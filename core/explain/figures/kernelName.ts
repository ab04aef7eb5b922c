/** Short names of kernels for sentences and bars. The full name is a C++ signature. */

import { isFrameName } from '../../trace/rangeNames.ts';

const anonymous = /\(anonymous namespace\)::/g;
const lambda = /::\{lambda[^}]*\}/g;

/** Cached, because bars need names in every frame. */
const made = new Map<string, string>();
const mostMade = 10_000;

/**
 * Returns the function's own name, without result, namespaces, template arguments and parameters: 'void
 * at::native::vectorized_elementwise_kernel<4, float>(int, float)' becomes 'vectorized_elementwise_kernel'. A name that
 * isn't a signature stays.
 */
export function shortKernelName(name: string): string {
  const isMangled = name.startsWith('_ZN');
  if (!isMangled && !name.includes('<') && !name.includes('(')) return name;
  const known = made.get(name);
  if (known !== undefined) return known;
  const short = isMangled ? mangledName(name) : shortened(name);
  if (made.size >= mostMade) made.clear();
  made.set(name, short);
  return short;
}

/** Removes an object's address, which differs between runs: '<function step at 0x7f3c>' -> '<function step>'. */
export const withoutAddresses = (name: string): string => name.replace(/ at 0x[0-9a-f]+/gi, '');

/** Returns a kernel's short name, or the name of a Python function or object without its address. */
export const readableName = (name: string): string =>
  name.startsWith('<') || isFrameName(name) ? withoutAddresses(name) : shortKernelName(name);

function shortened(name: string): string {
  const plain = withoutBrackets(name.replace(anonymous, '').replace(lambda, '')).trim();
  const own = /([A-Za-z_$][\w$]*)$/.exec(plain.split('::').at(-1) ?? '')?.[1];
  return own ?? name;
}

/**
 * Returns the function's name from a mangled one (Itanium C++ ABI, nested names): each part follows its length, and the
 * function comes last before the template arguments. CUTLASS calls all kernels 'Kernel': keeps its namespace.
 */
function mangledName(name: string): string {
  const parts: string[] = [];
  for (let at = '_ZN'.length; ; ) {
    const digits = /^\d+/.exec(name.slice(at, at + 6))?.[0];
    if (digits === undefined) break;
    const from = at + digits.length;
    at = from + Number(digits);
    if (at > name.length) return name;
    parts.push(name.slice(from, at));
  }
  const own = parts.filter((part) => !part.startsWith('_GLOBAL__N')).slice(-2);
  return (/^kernel\d*$/i.test(own.at(-1) ?? '') ? own.join('::') : own.at(-1)) ?? name;
}

/** Removes text between '<' and '>', and everything from the first '(' outside of them. */
function withoutBrackets(text: string): string {
  let depth = 0;
  let kept = '';
  for (const sign of text) {
    if (depth === 0 && sign === '(') break;
    if (sign === '<') depth += 1;
    else if (sign === '>') depth = Math.max(0, depth - 1);
    else if (depth === 0) kept += sign;
  }
  return kept;
}
