/** `holdfast doctor`: checks every part an event needs, and says how to mend what is wrong. */
import type { Command } from 'commander';
import { parseSecret } from '#adapters/secrets/parse-secret.ts';
import { secretName } from '#core/config/deployment.ts';
import { VERSION } from '#core/version.ts';
import { explainError } from '#operator/explain-error.ts';
import { isNotice } from '#operator/is-notice.ts';
import { EXIT, type ExitCode } from '#operator/operator-error.ts';
import { commandToSet, stateOf } from '#operator/stored-state.ts';
import { isSweeperLate, readSystem } from '#operator/system-view.ts';
import { span } from '../output.ts';
import { type CommandSet, type Run, withExamples } from '../run.ts';
import { isRunning } from './processor.ts';

interface Check {
  readonly name: string;
  readonly result: 'ok' | 'warning' | 'wrong';
  readonly text: string;
  readonly fix?: string;
}

const STATE_TEXTS = { absent: 'not deployed', empty: 'not set', pairing: 'waiting for its provider to bring one' };
const OLD_SECRET_DAYS = 365;
const CLOCK_SLACK_MS = 60_000;
const MARKS = { ok: ['green', 'ok     '], warning: ['yellow', 'warning'], wrong: ['red', 'WRONG  '] } as const;

export function addDoctor(program: Command, set: CommandSet): void {
  withExamples(
    program
      .command('doctor')
      .description('Check configuration, access, secrets, sweeper and front door; says how to mend what is wrong'),
    ['holdfast doctor --env prod', 'exit code 1 when something is wrong'],
  ).action(
    set.action(async (run): Promise<ExitCode> => {
      const configuration: Check = {
        name: 'configuration',
        result: 'ok',
        text: `${run.sourceIds.length} sources in ${run.environment}`,
      };
      const { place } = await run.gateway();
      const found = await Promise.all([
        guard('secrets', note => checkSecrets(run, note)),
        guard('front door', note => checkFrontDoor(run, note)),
        guard('processor', note => checkProcessor(run, note)),
        guard('pipeline', note => checkPipeline(run, note)),
      ]);
      const stack: Check = { name: 'stack', result: 'ok', text: `found in ${place}` };
      const checks = [configuration, stack, ...found.flat()];
      const wrong = checks.filter(check => check.result === 'wrong');
      const width = Math.max(...checks.map(check => check.name.length));
      run.out.result({ healthy: wrong.length === 0, checks }, () =>
        checks.flatMap(({ name, result, text, fix }) => {
          const [style, word] = MARKS[result];
          const line = `${run.out.paint(style, word)}  ${name.padEnd(width)}  ${text}`;
          return fix === undefined ? [line] : [line, `${' '.repeat(width + 11)}${run.out.paint('cyan', fix)}`];
        }),
      );
      if (wrong.length === 0) run.out.next(run.command('status'), 'rates, backlog, dead letters');
      return wrong.length === 0 ? EXIT.ok : EXIT.failure;
    }),
  );
}

/** What a check notes, in its order. One that cannot be made is a finding, not the end of the others. */
async function guard(name: string, check: (note: (found: Check) => void) => Promise<void>): Promise<readonly Check[]> {
  const found: Check[] = [];
  try {
    await check(it => void found.push(it));
  } catch (error) {
    found.push({ name, result: 'wrong', text: explainError(error).message });
  }
  return found;
}

async function checkSecrets(run: Run, note: (check: Check) => void): Promise<void> {
  const { secrets } = await run.gateway();
  for (const { source, needsSecret } of run.deployment.sources) {
    if (!needsSecret) continue;
    const name = `secret ${source.id}`;
    const stored = await secrets.read(secretName(run.environment, source.id));
    const state = stateOf(stored, run.clock.now());
    if (state !== 'set') {
      const text = `${STATE_TEXTS[state]}: the source answers 503 to every webhook`;
      note({ name, result: 'wrong', text, fix: run.command(commandToSet(source)) });
      continue;
    }
    const parsed = parseSecret(stored.text);
    const until = parsed.kind === 'secret' ? parsed.secret.previousNotAfter : undefined;
    const now = run.clock.now();
    const days = stored.changedAt === undefined ? 0 : (now - stored.changedAt) / 86_400_000;
    if (until !== undefined && until > now) {
      note({ name, result: 'ok', text: `rotated; the previous one is valid for ${span((until - now) / 1_000)} more` });
    } else if (days > OLD_SECRET_DAYS) {
      const fix = run.command(`sources rotate ${source.id}`);
      note({ name, result: 'warning', text: `set ${span(days * 86_400)} ago`, fix });
    } else
      note({ name, result: 'ok', text: stored.changedAt === undefined ? 'set' : `set ${span(days * 86_400)} ago` });
  }
}

async function checkFrontDoor(run: Run, note: (check: Check) => void): Promise<void> {
  const { http, apiUrl } = await run.gateway();
  const answer = await http(`${apiUrl}/health`, { method: 'GET', headers: {} });
  const { version } = JSON.parse(answer.body) as { version?: string };
  if (answer.status !== 200) note({ name: 'front door', result: 'wrong', text: `/health answers ${answer.status}` });
  else if (version !== VERSION) {
    const text = `runs version ${version}, this checkout is ${VERSION}`;
    note({ name: 'front door', result: 'warning', text, fix: `npm run deploy -- ${run.environment}` });
  } else note({ name: 'front door', result: 'ok', text: `answers in ${Math.round(answer.ms)} ms, version ${version}` });
  const theirs = Date.parse(answer.headers['date'] ?? '');
  const apart = Math.abs(theirs - run.clock.now());
  if (apart > CLOCK_SLACK_MS) {
    const text = `this machine's clock is ${span(apart / 1_000)} off: signatures made here would be refused`;
    note({ name: 'clock', result: 'wrong', text, fix: 'set the clock of this machine' });
  }
}

async function checkProcessor(run: Run, note: (check: Check) => void): Promise<void> {
  const state = await (await run.gateway()).processor.state();
  if (isRunning(state)) note({ name: 'processor', result: 'ok', text: `its event source mapping is ${state}` });
  else {
    const text = `its event source mapping is ${state}: events are accepted and wait in the queue`;
    note({ name: 'processor', result: 'wrong', text, fix: run.command('processor start') });
  }
}

async function checkPipeline(run: Run, note: (check: Check) => void): Promise<void> {
  const view = await readSystem(run);
  if (isSweeperLate(view, run.clock.now())) {
    const { sweptUntil } = view;
    const text =
      sweptUntil === undefined ? 'never ran' : `has not run for ${span((run.clock.now() - sweptUntil) / 1_000)}`;
    note({ name: 'sweeper', result: 'wrong', text, fix: 'docs/runbooks/sweep-not-running.md' });
  } else {
    const text = view.sweptUntil === undefined ? 'not yet: it comes every minute' : 'runs';
    note({ name: 'sweeper', result: 'ok', text });
  }
  const { main, dead } = view;
  note({
    name: 'queues',
    result: 'ok',
    text: `${main.visible} waiting, ${dead.visible + dead.hidden} in the dead-letter queue`,
  });
  if (view.openDeadLetters > 0) {
    const text = `${view.openDeadLetters} events are dead`;
    note({ name: 'dead letters', result: 'warning', text, fix: run.command('dlq ls') });
  }
  for (const [source, pause] of Object.entries(view.pauses)) {
    const text = `${source} since ${run.out.ago(pause.since)} by ${pause.by}: ${pause.why}`;
    note({ name: 'paused', result: 'warning', text, fix: run.command(`resume ${source}`) });
  }
  for (const alarm of view.alarms.filter(it => it.state === 'ALARM')) {
    const named = alarm.name.replace(`holdfast-${run.environment}-`, '');
    const runbook = /^Runbook: (\S+)/m.exec(alarm.description)?.[1] ?? `docs/runbooks/${named}.md`;
    const result = isNotice(alarm) ? 'warning' : 'wrong';
    note({ name: 'alarm', result, text: `${alarm.name} since ${run.out.ago(alarm.since)}`, fix: runbook });
  }
}
