// biome-ignore-all lint/suspicious/noTemplateCurlyInString: names that would break out of the code
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { saveAsTest } from '#operator/events/save-as-test.ts';
import { ConsoleGateway } from '#test/kit/console-gateway.ts';

const BODY = {
  id: 'evt_1',
  type: 'invoice.paid',
  customer: { email: 'grace@hopper.example', name: 'Grace Hopper', phone: '+49 170 1234567' },
  client_secret: 'pi_3_secret_x',
  note: 'write to ada@lovelace.example',
  ip: '198.51.100.9',
  amount: 4200,
};

it('writes a test and a fixture with nothing personal or secret in it, and never overwrites', async () => {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-save-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const gateway = new ConsoleGateway();
  const item = gateway.add({
    source: 'stripe',
    key: "evt_1/../x'`${1}",
    type: "a'`${x}\n",
    status: 'completed',
    receivedAt: Date.now(),
    body: Buffer.from(JSON.stringify(BODY)),
  });
  const saved = await saveAsTest(gateway.operator(), item, root);
  expect(saved).toMatchObject({ masked: 6, test: 'test/surfaces/handlers/saved/stripe-evt-1-x-1-.test.ts' });
  const fixture = readFileSync(join(root, saved.fixture), 'utf8');
  for (const text of ['grace', 'Grace', '1234567', 'secret_x', 'lovelace', '198.51'])
    expect(fixture).not.toContain(text);
  expect(JSON.parse(fixture)).toMatchObject({ id: 'evt_1', type: 'invoice.paid', amount: 4200 });
  const code = readFileSync(join(root, saved.test), 'utf8');
  expect(code).toContain(JSON.stringify("a'`${x}\n"));
  await expect(saveAsTest(gateway.operator(), item, root)).rejects.toThrow('exists and was left as it is');
});
