/**
 * Imported before anything else: zod decides when a schema is made whether it may compile it with `new Function`, and
 * the content security policy forbids that.
 */
import { config } from 'zod';

config({ jitless: true });
