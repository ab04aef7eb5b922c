/** What a kernel is called in a sentence or on a bar, where its full name is a C++ signature. */

const anonymous = /\(anonymous namespace\)::/g;
const lambda = /::\{lambda[^}]*\}/g;

/** Bars ask for theirs in every frame. */
const made = new Map<string, string>();
const mostMade = 10_000;

/**
 * The function's own name, without its result, namespaces, template arguments and parameters:
 * 'void at::native::vectorized_elementwise_kernel<4, float>(int, float)' is 'vectorized_elementwise_kernel'. A name that
 * is no signature stays as it is.
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

/** Python prints where an object lies, which differs from run to run: '<function step at 0x7f3c>' is '<function step>'. */
export const withoutAddresses = (name: string): string => name.replace(/ at 0x[0-9a-f]+/gi, '');

/** A kernel's short name, or a Python object's without its address. */
export const readableName = (name: string): string =>
  name.startsWith('<') ? withoutAddresses(name) : shortKernelName(name);

function shortened(name: string): string {
  const plain = withoutBrackets(name.replace(anonymous, '').replace(lambda, '')).trim();
  const own = /([A-Za-z_$][\w$]*)$/.exec(plain.split('::').at(-1) ?? '')?.[1];
  return own ?? name;
}

/**
 * The function's own name in a mangled one (Itanium C++ ABI, nested names): each part has its length before it, and the
 * last part before the template's arguments is the function. CUTLASS calls every kernel 'Kernel': its namespace is kept.
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

/** Without what stands between '<' and '>', and from the first '(' outside of them on. */
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
