import { join } from 'node:path';

/** The project our own tests run on: a configuration and handlers that nobody edits for a gateway of theirs. */
export const FIXTURE_PROJECT = join(import.meta.dirname, '../fixtures/project');
