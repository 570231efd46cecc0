/** Benchmark (j): what the screens of the console and the list commands read at a million events and many deaths. */
import { runCli } from '#cli/main.ts';
import { type LookPath, routesAt } from '#console/server/routes.ts';
import type { PortalRoute } from '#core/outbound/portal/portal-routes.ts';
import type { Bench, Figure, Section } from '../report/section.ts';
import { type Customers, openCustomers } from './customers.ts';
import { deploymentOf, type Million, openMillion } from './million.ts';

const EVENTS = 1_000_000;
const DEATHS = 100_000;
/** Deliveries of the endpoint that fails: half are dead, half wait. */
const DELIVERIES = 2_000;
/** Of each of a hundred customers, where there are many. */
const MANY_ENDPOINTS = 100;
/** Ten minutes of a million events a day, as `openMillion` takes them. */
export const BUSY = [8_000, 400, 30_000_000] as const;
/** What nothing may pass without saying so first. */
const MOST_UNITS = 50;
const MOST_MS = 1_000;

type Words = (sample: Pick<Million, 'completed'>) => string;

const ofOne =
  (what = '') =>
  ({ completed }: Pick<Million, 'completed'>): string =>
    `/api/events/${encodeURIComponent(completed)}${what}`;
type Sent = string | ((of: Customers) => string);
const OUT_APP = '/api/out/apps/uid:c0';
const ofDelivery = ({ ep, message }: Customers): string => `${OUT_APP}/endpoints/${ep}/deliveries/${message}`;

/** Of each path that a screen asks: what of it is measured, by name, or why nothing is. */
const SCREENS: Readonly<
  Record<Exclude<LookPath, `/api/out${string}`>, Readonly<Record<string, string | Words>> | string>
> = {
  '/api/hello': 'reads no table',
  '/api/now': { 'now, the first screen': '/api/now' },
  '/api/events': {
    events: '/api/events',
    'events, dead ones': '/api/events?status=dead_letter',
    'events of a type': '/api/events?type=invoice.paid&since=24h',
  },
  '/api/grep': { 'a search in bodies of an hour': '/api/grep?text=nothing&since=1h' },
  '/api/events/:id': { 'one event': ofOne() },
  '/api/events/:id/body': { 'its body': ofOne('/body') },
  '/api/events/:id/log': { 'its log': ofOne('/log') },
  '/api/events/:id/curl': { 'it as a command': ofOne('/curl') },
  '/api/events/:id/compare': { 'it beside another': it => `${ofOne('/compare')(it)}?with=${it.completed}` },
  '/api/dead': { dead: '/api/dead' },
  '/api/replay': {
    'replay, what it would touch: an hour': '/api/replay?since=1h',
    'replay, what it would touch: the dead': '/api/replay?status=dead_letter&since=30d',
  },
  '/api/jobs': { jobs: '/api/jobs' },
  '/api/sources': { sources: '/api/sources' },
  '/api/sources/:name': { 'one source': '/api/sources/stripe' },
  '/api/sources/:name/refused': { 'refused requests of a source': '/api/sources/stripe/refused' },
  '/api/sources/:name/refused/:id': 'nothing was refused here',
  '/api/sources/:name/shapes': { 'shapes of a source': '/api/sources/stripe/shapes' },
  '/api/sources/:name/sample': 'reads no table',
  '/api/alarms': 'reads no table',
  '/api/alarms/:name/graph': 'reads no table',
  '/api/runbooks/:name': 'reads no table',
};

/** Of webhooks to customers: each path, of the endpoint that fails. */
const OUT_SCREENS: Readonly<Record<Extract<LookPath, `/api/out${string}`>, Sent>> = {
  '/api/out': '/api/out',
  '/api/out/apps/:app': OUT_APP,
  '/api/out/apps/:app/messages': `${OUT_APP}/messages?limit=30`,
  '/api/out/apps/:app/messages/:msg': ({ message }) => `${OUT_APP}/messages/${message}`,
  '/api/out/apps/:app/messages/:msg/body': ({ message }) => `${OUT_APP}/messages/${message}/body`,
  '/api/out/apps/:app/endpoints/:ep': ({ ep }) => `${OUT_APP}/endpoints/${ep}`,
  '/api/out/apps/:app/endpoints/:ep/deliveries': ({ ep }) => `${OUT_APP}/endpoints/${ep}/deliveries?status=&limit=100`,
  '/api/out/apps/:app/endpoints/:ep/deliveries/:msg': ofDelivery,
};
/** What looks at every endpoint. */
const OF_ALL: readonly (readonly [string, ...string[]])[] = [['/api/now'], ['/api/out'], ['status'], ['out', 'status']];

const COMMANDS: readonly (readonly string[] | ((sample: Pick<Million, 'completed'>) => readonly string[]))[] = [
  ['status'],
  ['events', 'ls'],
  ['events', 'ls', '--status', 'dead_letter'],
  ['events', 'ls', '--limit', '500'],
  it => ['events', 'get', it.completed],
  ['events', 'grep', 'nothing', '--since', '1h'],
  ['dlq', 'ls'],
  ['dlq', 'ls', '--closed'],
  ['dlq', 'close', '--cause', 'handler_error', '--why', 'measured', '--dry-run'],
  ['replay', '--status', 'dead_letter', '--since', '30d', '--why', 'measured', '--dry-run'],
  ['replay', '--since', '1h', '--why', 'measured', '--dry-run'],
  ['replay', 'ls'],
  ['refused', 'ls'],
  ['sources', 'ls'],
  ['sources', 'shapes', 'stripe'],
];
/** What a command ends with where that is not 0: the dead need a person; a search finds nothing. */
const CODES: Readonly<Record<string, number>> = { status: 1, 'events grep nothing --since 1h': 3, 'out status': 1 };

const OUT_COMMANDS: readonly ((of: Customers) => readonly string[])[] = [
  () => ['out', 'status'],
  of => ['out', 'endpoints', of.app],
  of => ['out', 'endpoints', of.app, of.ep],
  of => ['out', 'messages', of.app],
  of => ['out', 'messages', of.app, of.message],
  of => ['out', 'deliveries', of.app],
  of => ['out', 'deliveries', of.app, of.ep, '--status', 'dead'],
  of => ['out', 'deliveries', of.app, of.ep, of.message],
];
const PORTAL = '/v1/apps/{app}';
/** What the portal asks for its screens, a page at a time. */
const PORTAL_CALLS: readonly PortalRoute[] = [
  `GET ${PORTAL}/endpoints`,
  `GET ${PORTAL}/endpoints/{ep}/health`,
  `GET ${PORTAL}/endpoints/{ep}/deliveries`,
  `GET ${PORTAL}/endpoints/{ep}/deliveries/{msg}/attempts`,
  `GET ${PORTAL}/messages/{msg}/deliveries`,
  'GET /v1/event-types',
];

export interface Looked {
  readonly name: string;
  readonly calls: number;
  readonly readUnits: number;
  /** Of the virtual clock: a call takes 5 ms. */
  readonly ms: number;
  /** The first words about what it will read, before more than the limit was read. */
  readonly said?: string;
}

/** Runs one look at the environment. `work` is given a way to note what was said. */
async function look(name: string, it: Million, work: (say: (text: string) => void) => Promise<void>): Promise<Looked> {
  const { meter, clock } = it;
  const units = (): number => meter.counts.readUnits;
  const before = { units: units(), calls: meter.calls.length, at: clock.now() };
  let said: string | undefined;
  const say = (text: string): void => {
    if (said === undefined && /read/i.test(text) && units() - before.units <= MOST_UNITS) said = text.trim();
  };
  let [ended, failure]: [boolean, unknown] = [false, undefined];
  const working = work(say)
    .catch((error: unknown) => {
      failure = error;
    })
    .finally(() => {
      ended = true;
    });
  while (!ended) if (!(await clock.runNext())) await new Promise(setImmediate);
  await working;
  if (failure !== undefined) throw new Error(`${name} failed`, { cause: failure });
  const [calls, readUnits, ms] = [meter.calls.length - before.calls, units() - before.units, clock.now() - before.at];
  return { name, calls, readUnits, ms, ...(said !== undefined && { said }) };
}

/** As a person who is told what it reads, and begins it. */
async function screen(address: string, it: Million, say: (text: string) => void): Promise<void> {
  const url = new URL(address, 'http://console');
  const found = routesAt(url.pathname).find(({ route }) => route.method === 'GET');
  if (found === undefined) throw new RangeError(`no route answers ${address}`);
  const { route, params } = found;
  const { signal } = new AbortController();
  const about = { operator: it.person(), readOnly: true, program: 'holdfast', body: {}, params, signal };
  const answered = async (query: URLSearchParams): Promise<object | undefined> => {
    const answer = route.answer({ ...about, query });
    if (!(Symbol.asyncIterator in answer)) return answer;
    let first: object | undefined;
    for await (const line of answer) first ??= line;
    return first;
  };
  const first = await answered(url.searchParams);
  if (first === undefined || !('reads' in first)) return;
  say(`reads ${JSON.stringify(first.reads)}`);
  url.searchParams.set('read', 'yes');
  await answered(url.searchParams);
}

async function command(args: readonly string[], it: Million, say: (text: string) => void): Promise<void> {
  const stream = (write: (text: string) => void) => ({
    write: (data: string | Uint8Array) => write(String(data)),
    isTTY: false,
    columns: 200,
  });
  const io = {
    ...{ stdout: stream(() => {}), stderr: stream(say), stdinIsTTY: false, env: {}, user: 'ada' },
    readStdin: async () => Buffer.alloc(0),
    ask: async () => '',
    interrupted: new AbortController().signal,
  };
  const publishedLists = { fetchText: () => Promise.reject(new Error('no network')), directory: '/nowhere' };
  const code = await runCli([...args], {
    ...{ io, clock: it.clock, readDeployment: deploymentOf, publishedLists },
    openGateway: async () => it.gateway,
  });
  const words = args.join(' ');
  if (code !== (CODES[words] ?? 0)) throw new Error(`holdfast ${words} ended with code ${code}`);
}

const sendingTo = (it: Million, { api }: Customers): Million => {
  const gateway = { ...it.gateway, delivery: async () => api };
  return { ...it, gateway, person: () => it.person(gateway) };
};

/** Every screen and command, one after the other. */
export async function lookAtAll(
  it: Million,
  tell: (line: string) => void = () => {},
  { deliveries, endpoints } = { deliveries: DELIVERIES, endpoints: MANY_ENDPOINTS },
): Promise<readonly Looked[]> {
  const all: Looked[] = [];
  const add = async (name: string, work: (say: (text: string) => void) => Promise<void>): Promise<void> => {
    const looked = await look(name, it, work);
    tell(`  ${JSON.stringify(looked)}`);
    all.push(looked);
  };
  const screens = Object.values(SCREENS).flatMap(looks => (typeof looks === 'string' ? [] : Object.entries(looks)));
  for (const [name, words] of screens) {
    const address = typeof words === 'string' ? words : words(it);
    await add(`console: ${name}`, say => screen(address, it, say));
  }
  for (const words of COMMANDS) {
    const args = typeof words === 'function' ? words(it) : words;
    await add(`holdfast ${args.join(' ')}`, say => command(args, it, say));
  }
  const customers = await openCustomers(it, { deliveries, endpoints: 1 });
  const { app, ep, message: msg } = customers;
  const sending = sendingTo(it, customers);
  const named = (words: string): string => words.replace(ep, '<endpoint>').replace(msg, '<message>');
  for (const [path, of] of Object.entries(OUT_SCREENS)) {
    const address = typeof of === 'string' ? of : of(customers);
    await add(`console: ${path}`, say => screen(address, sending, say));
  }
  for (const of of OUT_COMMANDS) {
    const args = of(customers);
    await add(`holdfast ${named(args.join(' '))}`, say => command(args, sending, say));
  }
  for (const route of PORTAL_CALLS) await add(`portal: ${route}`, () => customers.askPortal(route, { app, ep, msg }));
  const toMany = sendingTo(it, await openCustomers(it, { deliveries: 2, endpoints }));
  for (const words of OF_ALL) {
    const [address] = words;
    const isScreen = address.startsWith('/');
    const name = `${isScreen ? 'console' : 'holdfast'}${isScreen ? ':' : ''} ${words.join(' ')}, ${endpoints * 100} endpoints`;
    await add(name, say => (isScreen ? screen(address, toMany, say) : command(words, toMany, say)));
  }
  return all;
}

/** What is asked again and again, of an hour of very many events. */
export async function lookAtBusy(it: Million): Promise<readonly Looked[]> {
  const all: Looked[] = [];
  for (const address of ['/api/now', '/api/sources', '/api/sources/stripe'])
    all.push(await look(`console: ${address}, a million a day`, it, say => screen(address, it, say)));
  all.push(await look('holdfast status, a million a day', it, say => command(['status'], it, say)));
  return all;
}

const counted = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });
/** Over what nothing may pass in silence. */
export const isMuch = ({ readUnits, ms }: Looked): boolean => readUnits > MOST_UNITS || ms > MOST_MS;

function atMost(name: string, of: readonly Looked[]): readonly string[] {
  const most = (value: (it: Looked) => number): string => counted(Math.max(...of.map(value)));
  return [name, most(it => it.calls), most(it => it.readUnits), most(it => it.ms)];
}

export const measureScreens: Bench = async ({ quick, say }): Promise<Section> => {
  const [events, deaths] = quick ? [EVENTS / 10, DEATHS / 10] : [EVENTS, DEATHS];
  const busy = await lookAtBusy(await openMillion(...BUSY));
  const all = [...(await lookAtAll(await openMillion(events, deaths), say)), ...busy];
  const much = all.filter(isMuch);
  const unsaid = much.filter(it => it.said === undefined);
  const listed = much.filter(it => it.ms > MOST_MS);
  const rest = much.filter(it => !listed.includes(it));
  const little = all.filter(it => !isMuch(it));
  const figures: Figure[] = [
    {
      name: `over ${MOST_UNITS} read units or a second, and do not say so first`,
      value: `${unsaid.length} of ${all.length}`,
      reference: `${much.length} are over`,
      target: '0',
      reached: unsaid.length === 0,
    },
  ];
  return {
    id: 'j',
    title: '(j) Screens and list commands',
    method: `The console's routes and the commands over ${counted(events)} events of 30 days in memory, four sources, ${counted(deaths)} open dead letters; 100 customers, ${counted(DELIVERIES)} deliveries to a failing endpoint (in the last rows ${counted(MANY_ENDPOINTS * 100)} endpoints). Each asks for the first time. Reads are billed by the published rules; a call, or an item of a batch, takes 5 ms.`,
    figures,
    tables: [
      {
        title: 'Those that take over a second',
        head: ['screen or command', 'calls', 'read units', 'ms'],
        rows: [
          ...listed.map(it => [it.name.replaceAll('|', '/'), ...[it.calls, it.readUnits, it.ms].map(counted)]),
          atMost(`each of the ${rest.length} others of them, at most`, rest),
          atMost(`each of the ${little.length} that need not say so, at most`, little),
        ],
      },
    ],
  };
};
