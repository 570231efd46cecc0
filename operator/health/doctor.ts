/** Checks every part an event needs, and says how to repair what is wrong. */
import { parseSecret } from '#adapters/secrets/parse-secret.ts';
import { alarmSecretName, alarmServices, commandToSetAlarmSecret, unheardPages } from '#core/config/alarm-services.ts';
import { checkHandlerSources, unsentTypes } from '#core/config/handler-config.ts';
import { narrowAllowLists } from '#core/config/range-cover.ts';
import { given } from '#core/given.ts';
import { REFUSED_SLOTS } from '#core/inbound/protocol/event-item.ts';
import { nameIn } from '#core/names.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { VERSION } from '#core/version.ts';
import { readDeliverySummary } from '#operator/customers/deliveries.ts';
import { deployAgain } from '#operator/deploy-again.ts';
import { explainError } from '#operator/explain-error.ts';
import type { Operator } from '#operator/operator.ts';
import { likelyCause } from '#operator/refused/refused.ts';
import { secretsTaken } from '#operator/sealed-secrets.ts';
import { previousUse } from '#operator/sources/previous-use.ts';
import { commandToSet, readStored, stateOf } from '#operator/sources/stored-state.ts';
import { ago, span } from '#operator/span.ts';
import { isNotice, runbookOf } from './alarm-words.ts';
import { muteText } from './mutes.ts';
import { deadCountText } from './needs.ts';
import { isRunning, readProcessor } from './processor.ts';
import { describeSweeper, isSweeperLate } from './sweeper.ts';
import { readSystem } from './system-view.ts';

export interface Check {
  readonly name: string;
  readonly result: 'ok' | 'warning' | 'wrong';
  readonly text: string;
  /** A command, or a runbook. */
  readonly fix?: string;
}

export type Note = (name: string, result: Check['result'], text: string, fix?: string) => void;

const STATE_TEXTS = {
  absent: 'not deployed',
  empty: 'not set',
  pairing: 'waiting for its provider to bring one',
  malformed: 'mistyped',
};
/** The longest interval of endpoint checks is an hour. */
const CHECK_LATE_MS = 2 * HOUR_MS;
const SHOWN_EXPORTS = 3;
const OLD_SECRET_DAYS = 365;
const CLOCK_SLACK_MS = MINUTE_MS;
/** Functions that a queue calls, beside the processor, of which its own check tells. */
export const QUEUED: ReadonlySet<string> = new Set(['fan-out', 'drain-fast', 'drain-slow']);

/** Every check. One that cannot be made is a finding, not the end of the others. */
export async function checkEverything(operator: Operator): Promise<readonly Check[]> {
  const { config } = operator.deployment;
  const named = config.prefix === undefined ? '' : `, whose names begin with ${nameIn(config)}`;
  const text = `${operator.sourceIds.length} sources in ${operator.environment}${named}`;
  const { place } = await operator.gateway();
  const found = await Promise.all([
    guard('secrets', note => checkSecrets(operator, note)),
    guard('secrets', note => checkExports(operator, note)),
    guard('alarms', note => checkAlarmServices(operator, note)),
    guard('front door', note => checkFrontDoor(operator, note)),
    guard('processor', note => checkProcessor(operator, note)),
    guard('functions', note => checkFunctions(operator, note)),
    guard('pipeline', note => checkPipeline(operator, note)),
    guard('handlers', note => checkHandlers(operator, note)),
    guard('customers', note => checkCustomers(operator, note)),
    guard('rights', note => checkRights(operator, note)),
  ]);
  const unheard = unheardPages(operator.deployment);
  return [
    { name: 'configuration', result: 'ok', text },
    ...narrowAllowLists(operator.deployment).map(
      line => ({ name: 'allow list', result: 'warning', text: line }) as const,
    ),
    ...(unheard === undefined ? [] : [{ name: 'alarms', result: 'warning', text: unheard } as const]),
    { name: 'stack', result: 'ok', text: `found in ${place}` },
    ...found.flat(),
  ];
}

/** What a check notes, in its order. One that cannot be made is a finding, not the end of the others. */
export async function guard(name: string, check: (note: Note) => Promise<void>): Promise<readonly Check[]> {
  const found: Check[] = [];
  const note: Note = (of, result, text, fix) => void found.push({ name: of, result, text, ...given({ fix }) });
  await check(note).catch((error: unknown) => note(name, 'wrong', explainError(error).message));
  return found;
}

/** Who took secrets out of here, as the last exports noted it. */
async function checkExports(operator: Operator, note: Note): Promise<void> {
  for (const { at, by, of, count, to } of await secretsTaken(operator, SHOWN_EXPORTS)) {
    const whose = of === 'endpoints' ? 'endpoints and contacts' : of;
    const text = `${by} exported those of ${count} ${whose} ${ago(at, operator.clock.now())}, for ${to}`;
    note('secrets', 'ok', text);
  }
}

async function checkHandlers(operator: Operator, note: Note): Promise<void> {
  const handlers = await operator.handlers();
  if (handlers === undefined) return;
  const name = 'handlers';
  const wrong = checkHandlerSources(operator.deployment, handlers);
  for (const { path, given, fix } of wrong) note(name, 'wrong', `${path}: ${given}: it never runs`, fix);
  const unsent = unsentTypes(operator.deployment, handlers);
  for (const text of unsent) note(name, 'warning', text);
  if (wrong.length + unsent.length === 0) note(name, 'ok', 'each has a source');
}

/** The delivery API answers, and the endpoint check runs. */
async function checkCustomers(operator: Operator, note: Note): Promise<void> {
  if (operator.deployment.config.outbound === undefined) return;
  const name = 'customers';
  const [{ audited_at, endpoints, disabled, on_hold }, { deployedAt }] = await Promise.all([
    readDeliverySummary(operator),
    operator.gateway(),
  ]);
  // The first check comes within an hour of the first deployment.
  const since = audited_at === null ? deployedAt : Date.parse(audited_at);
  const late = since !== undefined && operator.clock.now() - since > CHECK_LATE_MS;
  const fix = operator.command('runbook sending-lost-work');
  if (late) note(name, 'wrong', 'endpoints were not checked for two hours: tend does not run', fix);
  else if (audited_at === null) note(name, 'ok', `${endpoints} endpoints; the first check is to come`);
  else note(name, 'ok', `${endpoints} endpoints, ${on_hold} on hold, ${disabled} disabled`);
}

async function checkSecrets(operator: Operator, note: Note): Promise<void> {
  for (const { source, needsSecret } of operator.deployment.sources) {
    if (!needsSecret) continue;
    const name = `secret ${source.id}`;
    const stored = await readStored(operator, source.id);
    const state = stateOf(stored, operator.clock.now());
    if (state !== 'set') {
      const until = state === 'malformed' ? ' once its functions are new' : '';
      const text = `${STATE_TEXTS[state]}: the source answers 503 to every webhook${until}`;
      note(name, 'wrong', text, operator.command(commandToSet(source)));
      continue;
    }
    const parsed = parseSecret(stored.text);
    const until = parsed.kind === 'secret' ? parsed.secret.previousNotAfter : undefined;
    const now = operator.clock.now();
    const days = stored.changedAt === undefined ? 0 : (now - stored.changedAt) / DAY_MS;
    if (until !== undefined && until > now) {
      const use = await previousUse(operator, source.id, stored.changedAt);
      const used =
        use === undefined ? '' : use.count === 0 ? ', and nobody uses it' : `, and ${use.count} requests used it`;
      const left = span((until - now) / 1_000);
      note(name, 'ok', `rotated; the previous one is valid for ${left} more${used}`);
    } else if (days > OLD_SECRET_DAYS) {
      const fix = operator.command(`sources rotate ${source.id}`);
      note(name, 'warning', `set ${span(days * 86_400)} ago`, fix);
    } else note(name, 'ok', stored.changedAt === undefined ? 'set' : `set ${span(days * 86_400)} ago`);
  }
}

async function checkAlarmServices(operator: Operator, note: Note): Promise<void> {
  const { secrets } = await operator.gateway();
  const { deployment } = operator;
  const services = new Map(alarmServices(deployment).map(each => [alarmSecretName(deployment.config, each), each]));
  for (const [secret, service] of services) {
    const name = `alarms ${service.kind} ${service.name}`;
    const { kind } = await secrets.read(secret);
    if (kind === 'set') note(name, 'ok', 'its secret is set');
    else {
      const fix = commandToSetAlarmSecret(deployment.config, service, deployment.region);
      note(name, 'wrong', `${secret} is ${STATE_TEXTS[kind]}: this service is told of no alarm`, fix);
    }
  }
}

async function checkFrontDoor(operator: Operator, note: Note): Promise<void> {
  const { http, apiUrl } = await operator.gateway();
  const answer = await http(`${apiUrl}/health`, { method: 'GET', headers: {} });
  const { version } = JSON.parse(answer.body) as { version?: string };
  if (answer.status !== 200) note('front door', 'wrong', `/health answers ${answer.status}`);
  else if (version !== VERSION) {
    const text = `runs version ${version}, this checkout is ${VERSION}`;
    note('front door', 'warning', text, `npm run deploy -- ${operator.environment}`);
  } else note('front door', 'ok', `answers in ${Math.round(answer.ms)} ms, version ${version}`);
  const theirs = Date.parse(answer.headers['date'] ?? '');
  const apart = Math.abs(theirs - operator.clock.now());
  if (apart > CLOCK_SLACK_MS) {
    const text = `this machine's clock is ${span(apart / 1_000)} off: signatures made here would be refused`;
    note('clock', 'wrong', text, 'set the clock of this machine');
  }
}

async function checkProcessor(operator: Operator, note: Note): Promise<void> {
  const { state, running } = await readProcessor(operator);
  if (running) note('processor', 'ok', `its event source mapping is ${state}`);
  else {
    const text = `its event source mapping is ${state}: events are accepted and wait in the queue`;
    note('processor', 'wrong', text, operator.command('processor start'));
  }
}

/** What a person, or a rehearsal that was not ended, stopped outside of the stacks: a deploy does not undo it. */
async function checkFunctions(operator: Operator, note: Note): Promise<void> {
  const name = 'functions';
  const { functionStops } = await operator.gateway();
  const found = await functionStops().catch((error: unknown) => explainError(error).message);
  if (typeof found === 'string') {
    const fix = 'grant lambda:GetFunctionConcurrency and lambda:ListEventSourceMappings';
    note(name, 'warning', `whether each may run cannot be read: ${found}`, fix);
    return;
  }
  const reserved: Readonly<Record<string, number>> = operator.deployment.reservedConcurrency;
  let wrong = 0;
  for (const { name: of, awsName, mayRun, mappings } of found) {
    const own = reserved[of];
    const give =
      own === undefined
        ? `aws lambda delete-function-concurrency --function-name ${awsName}`
        : `aws lambda put-function-concurrency --function-name ${awsName} --reserved-concurrent-executions ${own}`;
    // Of the processor its own check tells.
    const stopped = of === 'process' ? [] : mappings.filter(({ state }) => !isRunning(state));
    const isDeleted = QUEUED.has(of) && mappings.length === 0;
    if (isDeleted) {
      const text = `${of} is given nothing: somebody deleted its event source mapping, and its queue waits`;
      const again = `${deployAgain(operator.environment)}: a deploy alone does not bring it back`;
      note(name, 'wrong', text, again);
    }
    if (!mayRun) note(name, 'wrong', `${of} never runs: its reserved concurrency is 0`, give);
    for (const { uuid, state } of stopped) {
      const text = `${of} is given nothing: its event source mapping is ${state}, and its queue waits`;
      note(name, 'wrong', text, `aws lambda update-event-source-mapping --uuid ${uuid} --enabled`);
    }
    wrong += stopped.length + (mayRun ? 0 : 1) + (isDeleted ? 1 : 0);
  }
  if (wrong === 0) note(name, 'ok', `none of ${found.length} is stopped`);
}

/** Who starts a replay asks the sweeper to run at once; without the right it begins in the next minute's run. */
async function checkRights(operator: Operator, note: Note): Promise<void> {
  const name = 'rights';
  try {
    await (await operator.gateway()).begin('sweep', 'try');
    note(name, 'ok', 'you may run the sweeper: a replay of many events begins at once');
  } catch (error) {
    const text = `you may not run the sweeper, so a replay of many events begins up to a minute late: ${explainError(error).message}`;
    note(name, 'warning', text, 'grant lambda:InvokeFunction for it (docs/operate/watch.md#the-console)');
  }
}

async function checkPipeline(operator: Operator, note: Note): Promise<void> {
  const view = await readSystem(operator);
  if (view.sweeper !== undefined) {
    const now = operator.clock.now();
    const text = describeSweeper(view.sweeper, now);
    if (isSweeperLate(view.sweeper, now)) note('sweeper', 'wrong', text, operator.command('runbook events-overdue'));
    else note('sweeper', 'ok', text);
  }
  for (const { source, cause, count } of view.refused ?? []) {
    const times = count >= REFUSED_SLOTS ? `${count} or more` : String(count);
    const text = `${source}: ${times} for ${cause} within the last hour. ${likelyCause(cause)}`;
    note('refused', 'warning', text, operator.command(`refused ls --source ${source}`));
  }
  const { main, dead } = view;
  if (main && dead)
    note('queues', 'ok', `${main.visible} waiting, ${dead.visible + dead.hidden} in the dead-letter queue`);
  for (const { part, why, isNotice: isLittle, fix } of view.unread) {
    const result = isLittle ? 'warning' : 'wrong';
    note(part, result, `cannot be read: ${why}`, fix);
  }
  for (const mute of view.mutes ?? []) {
    const text = muteText(mute, operator.clock.now());
    note('muted', 'warning', text, operator.command(`unmute ${mute.id}`));
  }
  if (view.openDeadLetters) {
    const text = deadCountText(view, 'dead event', operator.clock.now());
    note('dead letters', 'warning', text, operator.command('dlq ls'));
  }
  for (const [source, pause] of Object.entries(view.pauses ?? {})) {
    const text = `${source} since ${ago(pause.since, operator.clock.now())} by ${pause.by}: ${pause.why}`;
    note('paused', 'warning', text, operator.command(`resume ${source}`));
  }
  for (const alarm of (view.alarms ?? []).filter(it => it.state === 'ALARM')) {
    const result = isNotice(alarm) ? 'warning' : 'wrong';
    note(
      'alarm',
      result,
      `${alarm.name} since ${ago(alarm.since, operator.clock.now())}`,
      operator.command(`runbook ${runbookOf(alarm, operator.environment)}`),
    );
  }
}
