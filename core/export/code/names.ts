/** Names for variables, made of the experiment's ids: each is a name of the language, and no two are the same. */
export class Names {
  readonly #taken: Set<string>;

  constructor(reserved: readonly string[]) {
    this.#taken = new Set(reserved);
  }

  /** `kind` tells apart what has one id, as a buffer and a stream. */
  make(id: string, kind: string): string {
    const plain = id.replace(/[^A-Za-z0-9_]/g, '_');
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? plain : number === 2 ? `${plain}_${kind}` : `${plain}_${kind}${number - 1}`;
      if (this.#taken.has(name) || /^_|__/.test(name)) {
        if (/^_|__/.test(plain)) return this.make(`${kind}_${plain.replace(/_+/g, '_').replace(/^_|_$/g, '')}`, kind);
        continue;
      }
      this.#taken.add(name);
      return name;
    }
  }
}
