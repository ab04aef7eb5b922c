/**
 * Imported first: when a schema is made, zod decides if it compiles it with `new Function`, which the content security
 * policy forbids.
 */
import { config } from 'zod';

config({ jitless: true });
