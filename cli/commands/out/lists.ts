/** `holdfast out status`, `endpoints`, `messages` and `deliveries`: what is, without changing it. */

import { EXIT } from '#cli/cli-error.ts';
import { isoSince, refuseBeside, wholeNumber } from '#cli/filter-options.ts';
import type { Style } from '#cli/output.ts';
import type { Run, RunCommand } from '#cli/run.ts';
import { sayEndpointReads } from '#cli/say-reads.ts';
import { parseIso } from '#core/time.ts';
import {
  addressWords,
  answerWords,
  dayWords,
  endpointWords,
  heldWords,
  stateWord,
  unwellWords,
  waitsWords,
} from '#core/words.ts';
import {
  type Delivery,
  type DeliveryFilter,
  deliveriesOf,
  type Endpoint,
  guardText,
  healthOf,
  listAttempts,
  listDeliveries,
  listEndpoints,
  listMessages,
  messageBody,
  muchOutbound,
  readDeliverySummary,
  readOutbound,
  worstFirst,
} from '#operator/customers/deliveries.ts';

const COLOURS: Readonly<Record<Endpoint['state'], Style>> = {
  ...{ ok: 'green', untried: 'cyan', failing: 'yellow', holding: 'yellow' },
  ...{ paused: 'cyan', disabled: 'red', pulled: 'cyan' },
};

const LISTED = '30';

interface ListOptions extends Omit<DeliveryFilter, 'limit'> {
  readonly limit?: string;
  readonly body?: boolean;
}

export function addOutLists(out: RunCommand): void {
  out
    .command('status')
    .description('Show which endpoints do not get their webhooks, over all applications')
    .examples(['holdfast out status', 'one line for each endpoint that fails, is on hold, paused or disabled'])
    .does(async run => {
      const much = await muchOutbound(run);
      if (much !== undefined) sayEndpointReads(run, much);
      const { applications, endpoints, unwell: found } = await readOutbound(run);
      // Counts the same endpoints, which were read just now.
      const { egress_guard: guard } = await readDeliverySummary(run);
      const unwell = await worstFirst(run, found);
      const many = applications.length;
      run.out.result({ applications: many, endpoints, unwell, egress_guard: guard }, () => [
        ...(guard === null ? [] : [run.out.paint('yellow', guardText(guard))]),
        unwell.length === 0
          ? `${count(endpoints, 'endpoint')} of ${count(many, 'application')}: all well.`
          : `${unwell.length} of ${count(endpoints, 'endpoint')} do not get their webhooks now:`,
        ...run.out.table(
          ['APPLICATION', 'ENDPOINT', 'STATE', 'URL', 'WHY'],
          unwell.map(each => [
            each.applicationName,
            nameOf(each),
            run.out.paint(COLOURS[each.state], stateWord(each.state)),
            addressWords(each.url),
            unwellWords(each, iso => run.out.ago(Date.parse(iso))),
          ]),
        ),
      ]);
      const [first] = unwell;
      if (first)
        run.out.next(run.command(`out endpoints ${first.application} ${first.id}`), 'since when, why, what waits');
      return unwell.length === 0 ? EXIT.ok : EXIT.failure;
    });

  out
    .command('endpoints')
    .argument('<app>', 'id, or uid:<uid>')
    .argument('[endpoint]', 'how this one is: id, or uid:<uid>')
    .description('List endpoints of an application, or show what waits for one and its last answers')
    .examples(
      ['holdfast out endpoints uid:acme', 'where its webhooks go, and how each endpoint is'],
      ['holdfast out endpoints uid:acme uid:billing', 'since when it fails, when it is tried next'],
    )
    .does(async (run, app: string, ep: string | undefined) => {
      if (ep !== undefined) return showHealth(run, app, ep);
      const found = await listEndpoints(run, app);
      run.out.result(found, () =>
        run.out.table(
          ['ENDPOINT', 'STATE', 'TYPES', 'URL'],
          found.map(each => [
            nameOf(each),
            run.out.paint(COLOURS[each.state], stateWord(each.state)),
            each.types.join(',') || '*',
            addressWords(each.url),
          ]),
          'This application has no endpoint.',
        ),
      );
    });

  out
    .command('messages')
    .argument('<app>', 'id, or uid:<uid>')
    .argument('[message]', 'how far this one is at each endpoint: id, msg_…')
    .description('List messages of an application, newest first, or show how far one is')
    .option('--body', 'of one message: print only the body that is sent')
    .option('--type <type>', 'event type')
    .option('--since <when>', 'published since then: 2026-11-21T03:00Z, or 30m, 24h, 7d ago')
    .option('--limit <n>', 'at most N (default: 30)')
    .examples(
      ['holdfast out messages uid:acme --type invoice.paid --since 24h', 'what was published'],
      ['holdfast out messages uid:acme msg_4z6…', 'delivered, retrying, dead: endpoint by endpoint'],
      ['holdfast out messages uid:acme msg_4z6… --body', 'what is sent'],
    )
    .does(async (run, app: string, message: string | undefined, options: ListOptions) => {
      if (message !== undefined) {
        refuseBeside('one message', options, ['type', 'since', 'limit']);
        return showMessage(run, app, message, options.body);
      }
      refuseBeside('a list', options, ['body']);
      const { type, since, limit = LISTED } = options;
      const asked = { type, since: isoSince(run, since), limit: wholeNumber('limit', limit, 1, 1_000) };
      const found = await listMessages(run, app, asked);
      run.out.result(found, () =>
        run.out.table(
          ['MESSAGE', 'TYPE', 'BYTES', 'PUBLISHED'],
          found.map(({ id, type: of, size, created_at: at }) => [id, of, String(size), agoOf(run, at)]),
          'No message.',
        ),
      );
      if (found[0]) run.out.next(run.command(`out messages ${app} ${found[0].id}`), 'what happened to it');
    });

  out
    .command('deliveries')
    .argument('<app>', 'id, or uid:<uid>')
    .argument('[endpoint]', 'id, or uid:<uid>; without it those of all endpoints')
    .argument('[message]', 'each attempt of this one: id, msg_…')
    .description('List deliveries, newest first, or the attempts of one')
    .option('--status <status>', 'pending, retrying, delivered, dead, aborted, expired, dropped or canceled')
    .option('--type <type>', 'event type')
    .option('--class <class>', 'how the last attempt ended, e.g. timeout, denied, server_error')
    .option('--since <when>', 'published since then: 2026-11-21T03:00Z, or 30m, 24h, 7d ago')
    .option('--limit <n>', 'at most N (default: 30)')
    .examples(
      ['holdfast out deliveries uid:acme uid:billing --status dead', 'what used up its attempts'],
      ['holdfast out deliveries uid:acme uid:billing msg_4z6…', 'what was sent, and what came back, try by try'],
    )
    .does(async (run, app: string, ep: string | undefined, message: string | undefined, options: ListOptions) => {
      if (ep !== undefined && message !== undefined) {
        refuseBeside('one delivery', options, ['status', 'type', 'class', 'since', 'limit']);
        return showAttempts(run, { app, ep, message });
      }
      const { since, limit = LISTED, ...filter } = options;
      const { status, type, class: of } = filter;
      const size = wholeNumber('limit', limit, 1, 1_000);
      const asked = { status, type, class: of, since: isoSince(run, since), limit: size };
      const found = await listDeliveries(run, { app, ep }, asked);
      const names = ep === undefined ? (['message', 'endpoint'] as const) : (['message'] as const);
      run.out.result(found, () => deliveryTable(run, found, names, 'No delivery.'));
      const failed = found.find(each => each.attempt_count > 0 && each.status !== 'delivered');
      if (failed)
        run.out.next(
          run.command(`out deliveries ${app} ${failed.endpoint} ${failed.message}`),
          'each failed attempt in full',
        );
    });
}

async function showHealth(run: Run, app: string, ep: string): Promise<void> {
  const health = await healthOf(run, app, ep);
  const { state, waiting, last_failure: failure, last_day: day } = health;
  run.out.result(health, () => [
    `${run.out.paint(COLOURS[state], stateWord(state))}: ${endpointWords(health, iso => agoOf(run, iso))}`,
    `to deliver     ${waitsWords(waiting) || 'nothing'}${waiting.oldest_at === null ? '' : `, the oldest ${agoOf(run, waiting.oldest_at)}`}`,
    `dead           ${health.dead}${health.dead_more ? ' or more' : ''} now, ${health.died} ever`,
    `last success   ${agoOf(run, health.last_success_at)}`,
    `last failure   ${agoOf(run, failure?.at ?? null)}${failure?.class ? ` (${answerWords(failure.code, failure.class)})` : ''}`,
    `failing since  ${agoOf(run, health.failing_since)}`,
    ...(health.egress_suspected
      ? ['our way out    is under suspicion: a failure without an answer does not count']
      : []),
    `next try       ${agoOf(run, health.next_trial_at)}`,
    `success rate   ${percent(health.success_rate_1h)} in this hour, ${percent(health.success_rate_24h)} in a day`,
    ...(day === undefined ? [] : [`last day       ${dayWords(day)}`]),
  ]);
  run.out.next(run.command(`out deliveries ${app} ${ep}`), 'its deliveries, newest first');
}

async function showMessage(run: Run, app: string, message: string, body: boolean | undefined): Promise<void> {
  if (body) {
    const sent = (await messageBody(run, app, message)).toString('utf8');
    run.out.result({ message, body: sent }, () => [sent]);
    return;
  }
  const found = await deliveriesOf(run, app, message);
  run.out.result(found, () =>
    deliveryTable(run, found, ['endpoint'], 'No endpoint wanted it, or it is not fanned out yet.'),
  );
}

/** Every failure with its request and answer. */
async function showAttempts(run: Run, { app, ep, message }: Record<'app' | 'ep' | 'message', string>): Promise<void> {
  const found = await listAttempts(run, { app, ep, message });
  run.out.result(found, () =>
    found.flatMap(each => {
      const head = `${each.at}  ${each.kind} ${each.attempt}  ${answerWords(each.code, each.class)}  ${each.timings_ms['total'] ?? '-'} ms`;
      const body = each.response?.body?.trim().split('\n')[0]?.slice(0, 200);
      const said = [...lines(each.in_words), ...lines(each.detail), ...lines(body)];
      return [run.out.paint(each.class === 'ok' ? 'green' : 'yellow', head), ...said];
    }),
  );
  run.out.next(run.command(`out retry ${app} ${ep} ${message} --why …`), 'sends it again');
}

/** A command about one endpoint. */
export function endpointCommand(out: RunCommand, name: string): RunCommand {
  return out.command(name).argument('<app>', 'id, or uid:<uid>').argument('<endpoint>', 'id, or uid:<uid>');
}

function deliveryTable(
  run: Run,
  found: readonly Delivery[],
  names: readonly ('message' | 'endpoint')[],
  none: string,
): readonly string[] {
  const rows = found.map(each => {
    const { status, held, attempt_count: attempts, last_attempt: last, next_retry_at: next } = each;
    const answer = last === null ? '-' : answerWords(last.status, last.class);
    const then = held ? heldOf(run, each) : next === null ? '' : agoOf(run, next);
    return [
      ...names.map(name => each[name]),
      each.type ?? '-',
      stateWord(status),
      String(attempts),
      answer,
      agoOf(run, each.created_at),
      then,
    ];
  });
  return run.out.table(
    [...names.map(name => name.toUpperCase()), 'TYPE', 'STATUS', 'ATTEMPTS', 'ANSWER', 'PUBLISHED', 'NEXT'],
    rows,
    none,
  );
}

/** `on hold: the endpoint asked us to wait; next try in 5 min`. */
function heldOf(run: Run, { held_why: why, held_until: until }: Delivery): string {
  return `${heldWords(why)}${until === null ? '' : `; next try ${agoOf(run, until)}`}`;
}

const nameOf = ({ id, uid }: { readonly id: string; readonly uid: string | null }): string =>
  uid === null ? id : `uid:${uid}`;
const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;
const percent = (share: number | null): string => (share === null ? '-' : `${Math.round(share * 1_000) / 10} %`);
const lines = (text: string | null | undefined): readonly string[] => (text ? [`    ${text}`] : []);

/** `3 min ago`, or `-`. */
function agoOf(run: Run, iso: string | null): string {
  const at = iso === null ? undefined : parseIso(iso);
  return at === undefined ? '-' : run.out.ago(at);
}
