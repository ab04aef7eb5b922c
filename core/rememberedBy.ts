/** Returns a function that computes its result once for each object, which keeps it as long as it exists itself. */
export function rememberedBy<Key extends object, Result>(make: (key: Key) => Result): (key: Key) => Result {
  const results = new WeakMap<Key, { readonly result: Result }>();
  return (key) => {
    const known = results.get(key) ?? { result: make(key) };
    results.set(key, known);
    return known.result;
  };
}
