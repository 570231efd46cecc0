/** What a screen asks is read once, and said before it is read only where it begins; of an alarm it is told what it does. */
import { expect, it } from 'vitest';
import { routesAt } from '#console/server/routes.ts';
import { MINUTE_MS } from '#core/time.ts';
import { ConsoleGateway } from '#test/kit/console-gateway.ts';

async function look(gateway: ConsoleGateway, address: string): Promise<object> {
  const { pathname, searchParams: query } = new URL(address, 'http://console');
  const found = routesAt(pathname).find(({ route }) => route.method === 'GET');
  if (found === undefined) throw new RangeError(`no route answers ${address}`);
  const { signal } = new AbortController();
  const about = { operator: gateway.operator(), readOnly: true, program: 'holdfast', body: {}, signal };
  const answer = found.route.answer({ ...about, params: found.params, query });
  if (!(Symbol.asyncIterator in answer)) return answer;
  for await (const line of answer) return line;
  throw new Error(`${address} answered no line`);
}

const MANY = 400;
function full(): ConsoleGateway {
  const gateway = new ConsoleGateway();
  for (let n = 0; n < MANY; n++) {
    const receivedAt = Date.now() - n * 100 - MINUTE_MS;
    gateway.add({ source: 'stripe', key: `evt_${n}`, type: 'invoice.paid', status: 'completed', receivedAt });
  }
  return gateway;
}

it.each([
  ['a list', '/api/events?type=invoice.*&since=24h&limit=500', 'events'],
  ['a search in bodies', '/api/grep?text=nothing&since=24h', 'read'],
])('%s says what it will read once: who goes on with a cursor was told', async (_, address, has) => {
  const gateway = full();
  expect(await look(gateway, address)).toHaveProperty('reads.events');
  const { cursor } = (await look(gateway, '/api/events?limit=10')) as { cursor: string };
  expect(await look(gateway, `${address}&cursor=${encodeURIComponent(cursor)}`)).toHaveProperty(has);
});

it('the screen of one source asks for the refused requests of each source once', async () => {
  const gateway = full();
  let asked = 0;
  Object.defineProperty(gateway, 'refused', {
    get: () => {
      asked += 1;
      return [];
    },
  });
  await look(gateway, '/api/sources/stripe');
  expect(asked).toBe(gateway.operator().sourceIds.length);
});

it('an alarm says what it means, what it combines and who is told', async () => {
  const gateway = new ConsoleGateway('prod');
  const named = (id: string, description: string, more = {}) => ({
    ...{ name: `holdfast-prod-${id}`, state: 'ALARM' as const, since: 1, reason: '', description },
    ...more,
  });
  gateway.alarms = [
    named('ingest-broken', 'page: Webhooks are refused.\nFirst: look', { watches: ['holdfast-prod-ingest-errors'] }),
    named('ingest-errors', 'page: Requests fail.'),
    named('late', 'ticket: Events are late.'),
    named('deploying', 'notice: A deploy runs.'),
    named('own', 'An alarm of my own'),
  ];
  expect(await look(gateway, '/api/alarms')).toMatchObject({
    alarms: [
      { meaning: 'Webhooks are refused.', told: 'It wakes oncall@example.com, Slack (night).' },
      { meaning: 'Requests fail.', told: 'It is only shown: ingest-broken tells of it.' },
      { meaning: 'Events are late.', told: 'It tells nobody: alarmTargets of prod names nobody for a ticket.' },
      { meaning: 'A deploy runs.', told: 'It is only shown: nobody has to do anything.' },
      { meaning: 'An alarm of my own' },
    ],
  });
});
