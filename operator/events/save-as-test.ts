/** A stored event as a test of its handler: the body as a fixture, with what must not leave production masked. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { splitEventPk } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { PROJECT_ROOT } from '#local/shell/workspace.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { readStoredBody } from './show-event.ts';

export interface SavedTest {
  /** Paths below the checkout. */
  readonly test: string;
  readonly fixture: string;
  /** Values that were replaced. */
  readonly masked: number;
}

/** Writes both files into test/surfaces/handlers/saved/. Throws OperatorError where the body is gone or no JSON, or where they exist. */
export async function saveAsTest(operator: Operator, item: EventItem, root = PROJECT_ROOT): Promise<SavedTest> {
  const stored = await readStoredBody(operator, item);
  if (stored === undefined)
    throw new OperatorError('The body of this event is gone: its retention is over', 'not_found');
  let body: unknown;
  try {
    body = JSON.parse(stored.body.toString('utf8'));
  } catch (error) {
    throw new OperatorError('Only a JSON body can be saved as a test', 'usage', { cause: error });
  }
  const { sourceId, eventKey } = splitEventPk(item.pk);
  const name = `${sourceId}-${eventKey}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60);
  const folder = 'test/surfaces/handlers/saved';
  const files = { test: `${folder}/${name}.test.ts`, fixture: `${folder}/${name}.json` };
  if (existsSync(join(root, files.test)))
    throw new OperatorError(`${files.test} exists and was left as it is: delete it first to write it again`, 'usage');
  const masker = new Masker();
  const masked = masker.mask(body, '');
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, files.fixture), `${JSON.stringify(masked, null, 2)}\n`);
  writeFileSync(join(root, files.test), testCode(item, sourceId, name));
  return { ...files, masked: masker.count };
}

const SECRET_NAMES = /secret|token|password|authorization|api_?key|signature|client_secret/i;
const PERSONAL_NAMES =
  /e?mail|phone|^name$|first_?name|last_?name|address|street|line[12]|postal|zip|city|^ip$|ip_address|birth/i;

/** Replaces values by their names and by their form; the structure stays, so that a handler sees the same shape. */
class Masker {
  count = 0;

  mask(value: unknown, name: string, depth = 0): unknown {
    if (depth > 200) return null;
    if (Array.isArray(value)) return value.map(each => this.mask(each, name, depth + 1));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.mask(each, key, depth + 1)]));
    if (typeof value !== 'string' || value === '') return value;
    const replaced = this.#maskText(value, name);
    if (replaced !== value) this.count += 1;
    return replaced;
  }

  #maskText(text: string, name: string): string {
    if (/[^\s@]@[^\s@]+\.[a-z]{2,}/i.test(text)) return 'person@example.com';
    if (SECRET_NAMES.test(name) || /\b(?:sk|rk|whsec|ghp|xox[abp])_?[-\w]{8,}/.test(text)) return 'masked';
    if (/^\+?\d[\d ()-]{7,}$/.test(text) && /phone|tel|mobile/i.test(name)) return '+10000000000';
    if (/^(?:\d{1,3}\.){3}\d{1,3}$/.test(text)) return '203.0.113.7';
    return PERSONAL_NAMES.test(name) ? 'masked' : text;
  }
}

function testCode(item: EventItem, sourceId: string, name: string): string {
  const type = JSON.stringify(item.eventType.slice(0, 80));
  return `/** Saved from a real event by the console. Say below what its handler must do with it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestEvent, runHandler } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { handlers } from '#handlers/index.ts';

const body = JSON.parse(readFileSync(join(import.meta.dirname, '${name}.json'), 'utf8')) as object;

it('takes a saved ' + ${type}, async () => {
  const event = createTestEvent({ provider: ${JSON.stringify(item.provider)}, source: ${JSON.stringify(sourceId)}, body });
  const handle = handlers.find(event.source, event.type)?.handle;
  if (handle === undefined) throw new Error('No handler takes this event: write one, then run this test again');
  const run = await runHandler(handle, event);
  expect(run.status).toBe('completed');
});
`;
}
