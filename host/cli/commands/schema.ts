/** `copyscope schema`: the JSON Schema of a document, for editors and other programs. */
import { type DocumentKind, documentSchema } from '../../../core/documents/jsonSchema.ts';
import type { Context } from '../io.ts';

export async function printSchema({ terminal }: Context, kind: DocumentKind): Promise<void> {
  await terminal.json(documentSchema(kind));
}
