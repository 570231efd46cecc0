/** `holdfast sources pair`: a window in which a provider may bring the secret itself (Asana, Notion). */
import { writeFileSync } from 'node:fs';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { readMoment } from '#core/inbound/search/event-filter.ts';
import { secretName } from '#core/names.ts';
import { DAY_MS, toIso } from '#core/time.ts';
import { isPaired, mustBringSecrets, openPairing, pairedSecret } from '#operator/sources/change-secret.ts';
import { urlOf } from '#operator/sources/list-sources.ts';
import { span } from '#operator/span.ts';
import { EXIT, type ExitCode, OperatorError, usageError } from '../../cli-error.ts';
import type { Run, RunCommand } from '../../run.ts';

interface PairOptions {
  readonly for: string;
  readonly out?: string;
  readonly wait: boolean;
  readonly replace?: boolean;
  readonly yes?: boolean;
}

const LONGEST_MS = DAY_MS;
const POLL_MS = 2_000;

export function addSourcesPair(sources: RunCommand): void {
  sources
    .command('pair')
    .argument('<source>')
    .description('Let the provider send its secret for a while (Asana, Notion)')
    .option('--for <time>', 'for how long, at most 24h', '15m')
    .option(
      '--out <file>',
      'where to write the secret: Notion wants you to type it in there (only you can read the file)',
    )
    .option('--replace', 'forget the present secret; events are answered 503 until the new one arrives')
    .option('--no-wait', 'do not wait for the secret')
    .option('--yes', 'do not ask')
    .examples(
      ['holdfast sources pair asana', 'then create the webhook at Asana'],
      [
        'holdfast sources pair notion --out notion.token',
        'then create the subscription at Notion, and enter the token there',
      ],
    )
    .does(pair);
}

async function pair(run: Run, name: string, options: PairOptions): Promise<ExitCode> {
  const source = run.source(name);
  mustBringSecrets(run, source);
  const now = run.clock.now();
  const until = 2 * now - (readMoment(options.for, now) ?? Number.NaN);
  if (!(until > now && until <= now + LONGEST_MS))
    throw usageError(`--for: "${options.for}"`, 'a time from 1s to 24h', '--for 15m');
  if (await isPaired(run, source)) {
    if (!options.replace)
      throw usageError(
        `${source.id} already has a secret in ${run.environment}`,
        'pairing only without one: a request never overwrites a secret',
        `forget the present one: ${run.command(`sources pair ${source.id} --replace`)}`,
      );
    await run.confirm(`Forget the secret of ${source.id} in ${run.environment}?`, options.yes);
  }
  await openPairing(run, source, until);
  run.out.note(`The first secret that comes to ${await urlOf(run, source)} before ${toIso(until)} is kept.`);
  const outcome = options.wait ? await waitForSecret(run, source, until) : undefined;
  const written = outcome === 'paired' ? await keep(run, source, options.out) : undefined;
  const view = { source: source.id, secret: outcome ?? 'pairing', pairing_until: toIso(until), written_to: written };
  run.out.result(view, () => [
    outcome === 'paired'
      ? `${source.id} is paired${written === undefined ? '' : `; its secret is in ${written}, delete the file when it is entered`}`
      : outcome === 'closed'
        ? `Nothing came: the window of ${source.id} is closed`
        : `${source.id} is pairing until ${toIso(until)}`,
  ]);
  if (outcome === 'closed')
    run.out.next(run.command(`sources pair ${source.id}`), 'once more; then do your part there');
  else run.out.next(run.command('sources ls'), 'the state of every secret');
  return outcome === 'closed' ? EXIT.failure : EXIT.ok;
}

/** Undefined when the person stops waiting: the window stays open. */
async function waitForSecret(
  run: Run,
  source: ResolvedSource,
  until: number,
): Promise<'paired' | 'closed' | undefined> {
  const { timer } = await run.gateway();
  const progress = run.out.progress('Waiting for the provider,');
  try {
    while (!run.io.interrupted.aborted) {
      if ((await pairedSecret(run, source)) !== undefined) return 'paired';
      const left = until - run.clock.now();
      if (left <= 0) return 'closed';
      progress.update(0, undefined, `the window is open for ${span(left / 1_000)} more`);
      await timer.sleep(Math.min(POLL_MS, left));
    }
    return undefined;
  } finally {
    progress.end();
  }
}

async function keep(run: Run, source: ResolvedSource, out: string | undefined): Promise<string | undefined> {
  if (out === undefined) return undefined;
  const secret = await pairedSecret(run, source);
  if (secret === undefined) return undefined;
  try {
    writeFileSync(out, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new OperatorError(
      `The source is paired, but ${out} could not be written: ${(error as Error).message}\nRead the secret in Secrets Manager: ${secretName(run.deployment.config, source.id)}`,
      'partial',
      { cause: error },
    );
  }
  return out;
}
