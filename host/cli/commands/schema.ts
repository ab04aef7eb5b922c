/** `copyscope schema`: the JSON Schema of a document, for editors and other programs. */
import { type DocumentKind, documentSchema } from '../../../core/documents/jsonSchema.ts';
import type { Context } from '../io.ts';

export function printSchema({ terminal }: Context, kind: DocumentKind): void {
  terminal.out(`${JSON.stringify(documentSchema(kind), null, 2)}\n`);
}
