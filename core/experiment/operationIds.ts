/**
 * Assigns ids to operations: the kind and a number above all existing ones of that kind, such as 'copy3'. The same
 * document always gets the same ids.
 */
export class OperationIds {
  readonly #known: readonly string[];
  /** Last number assigned to each kind. */
  readonly #last = new Map<string, number>();

  /** `known` are the document's ids. */
  constructor(known: readonly string[]) {
    this.#known = known;
  }

  next(kind: string): string {
    const number = (this.#last.get(kind) ?? this.#highest(kind)) + 1;
    this.#last.set(kind, number);
    return `${kind}${number}`;
  }

  #highest(kind: string): number {
    let highest = 0;
    for (const id of this.#known) {
      const number = id.startsWith(kind) ? Number(id.slice(kind.length)) : 0;
      if (number > highest && Number.isSafeInteger(number)) highest = number;
    }
    return highest;
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the document with ids for operations that have none; the same object if all have one. Takes any content. */
export function withOperationIds(document: Fields): Fields {
  const known: string[] = [];
  if (!collect(document['threads'], known)) return document;
  return { ...document, threads: named(document['threads'], new OperationIds(known)) };
}

/** Adds the ids in a list of threads or operations to `known`. Returns whether an operation has none. */
function collect(list: unknown, known: string[]): boolean {
  let lacks = false;
  for (const one of Array.isArray(list) ? list.filter(isFields) : []) {
    if (typeof one['op'] === 'string' && typeof one['id'] === 'string') known.push(one['id']);
    if (lacksId(one)) lacks = true;
    if (collect(one['operations'], known)) lacks = true;
  }
  return lacks;
}

function named(list: unknown, ids: OperationIds): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((one: unknown) => {
    if (!isFields(one)) return one;
    const own = lacksId(one) ? { id: ids.next(one['op']) } : {};
    return { ...one, ...own, ...('operations' in one ? { operations: named(one['operations'], ids) } : {}) };
  });
}

const lacksId = (one: Fields): one is Fields & { readonly op: string } =>
  typeof one['op'] === 'string' && one['id'] === undefined;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
