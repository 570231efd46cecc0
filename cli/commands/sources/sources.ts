/** `holdfast sources`: what is received, where, and with which state of secret. */
import { writeFileSync } from 'node:fs';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { readMoment } from '#core/inbound/search/event-filter.ts';
import { DAY_MS, toIso } from '#core/time.ts';
import {
  checkSecret,
  generateSecret,
  rotateSecret,
  secretBefore,
  secretToRotate,
  setSecret,
} from '#operator/sources/change-secret.ts';
import { listSources } from '#operator/sources/list-sources.ts';
import { commandToSet } from '#operator/sources/stored-state.ts';
import { OperatorError, usageError } from '../../cli-error.ts';
import { askSecret } from '../../read-input.ts';
import type { Run, RunCommand } from '../../run.ts';
import { addSourcesIps } from './ips.ts';
import { addSourcesNew } from './new.ts';
import { addSourcesPair } from './pair.ts';
import { addSourcesShapes } from './shapes.ts';

const SECRET_STYLES = {
  'not needed': 'dim',
  pairing: 'yellow',
  empty: 'red',
  absent: 'red',
  malformed: 'red',
} as const;

interface SecretOptions {
  readonly generate?: boolean;
  readonly out?: string;
  readonly grace?: string;
  readonly yes?: boolean;
}

export function addSources(program: RunCommand): void {
  const sources = program
    .command('sources')
    .description(
      'Sources: list them, set, rotate and pair their secrets, show the addresses they send from, describe a new provider',
    );

  sources
    .command('ls')
    .description('List the sources with their URLs and the state of their secrets')
    .examples(['holdfast sources ls', 'id, provider, URL, secret, pause'])
    .does(showSources);

  sources
    .command('set-secret')
    .argument('<source>')
    .description('Set the secret of a source. The command asks for it or reads it from stdin; it is never an argument')
    .option('--generate', 'make a new random secret')
    .option('--out <file>', 'where to write the generated secret, to give to the provider (only you can read the file)')
    .option('--yes', 'replace an existing secret without asking')
    .examples(
      ['holdfast sources set-secret stripe', 'asks for it without showing it'],
      ['pbpaste | holdfast sources set-secret stripe --env prod --yes', 'from the clipboard'],
      ['holdfast sources set-secret github --generate --out github.secret', 'a new secret, to give to GitHub'],
    )
    .does(async (run, name: string, options: SecretOptions) => {
      const source = run.source(name);
      if ((await secretBefore(run, source)) === 'set') {
        run.out.note(
          `Requests signed with the present secret will be refused. To keep both valid for a while: ${run.command(`sources rotate ${source.id}`)}`,
        );
        await run.confirm(`Replace the secret of ${source.id} in ${run.environment}?`, options.yes);
      }
      await setSecret(run, source, await newSecret(run, source, options));
      run.out.result({ source: source.id, secret: 'set' }, () => [
        `The secret of ${source.id} is set; functions use it within five minutes`,
      ]);
      run.out.next(run.command(`send ${source.id}`), 'a signed sample event');
    });

  sources
    .command('rotate')
    .argument('<source>')
    .description('Set a new secret. The present one stays valid for a while, too')
    .option('--grace <time>', 'how long the present one stays valid', '24h')
    .option('--generate', 'make a new random secret')
    .option('--out <file>', 'where to write the generated secret, to give to the provider')
    .option('--yes', 'do not ask')
    .examples(['holdfast sources rotate stripe --grace 24h', 'then change it at the provider'])
    .does(async (run, name: string, options: SecretOptions) => {
      const source = run.source(name);
      const now = run.clock.now();
      const graceUntil = 2 * now - (readMoment(options.grace ?? '24h', now) ?? Number.NaN);
      if (!(graceUntil > now && graceUntil <= now + 30 * DAY_MS))
        throw usageError(`--grace: "${options.grace}"`, 'a time from 1s to 30d', '--grace 24h');
      const previous = await secretToRotate(run, source);
      await run.confirm(`Rotate the secret of ${source.id} in ${run.environment}?`, options.yes);
      const current = await newSecret(run, source, options);
      await rotateSecret(run, source, { current, previous, graceUntil });
      run.out.result({ source: source.id, secret: 'rotated', previous_not_after: toIso(graceUntil) }, () => [
        `Both secrets of ${source.id} are valid until ${toIso(graceUntil)}. Give the new one to ${source.spec.title} now`,
      ]);
      run.out.next(run.command('secrets ls'), 'whether somebody still uses the previous one');
    });

  addSourcesPair(sources);
  addSourcesIps(sources);
  addSourcesShapes(sources);
  addSourcesNew(sources);
}

async function showSources(run: Run): Promise<void> {
  const views = (await listSources(run)).map(view => ({
    source: view.id,
    provider: view.provider,
    url: view.url,
    secret: view.secret,
    secret_changed_at: isoOf(view.secretChangedAt),
    previous_secret_until: isoOf(view.previousUntil),
    pairing_until: isoOf(view.pairingUntil),
    paused: view.paused === undefined ? null : { ...view.paused, since: toIso(view.paused.since) },
  }));
  run.out.result({ sources: views }, () =>
    run.out.table(
      ['SOURCE', 'PROVIDER', 'SECRET', 'STATE', 'URL'],
      views.map(view => [
        view.source,
        view.provider,
        view.secret === 'set'
          ? `set ${view.secret_changed_at === undefined ? '' : run.out.ago(Date.parse(view.secret_changed_at))}`.trim()
          : run.out.paint(SECRET_STYLES[view.secret], view.secret),
        view.paused === null ? 'receiving' : run.out.paint('yellow', `paused by ${view.paused.by}: ${view.paused.why}`),
        run.out.paint('cyan', view.url),
      ]),
    ),
  );
  const unset = views.find(view => ['empty', 'absent', 'malformed'].includes(view.secret));
  if (unset) run.out.next(run.command(commandToSet(run.source(unset.source))), 'until then it answers 503');
  else if (views[0]) run.out.next(run.command(`send ${views[0].source}`), 'a signed sample event');
}

function isoOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : toIso(ms);
}

async function newSecret(run: Run, source: ResolvedSource, options: SecretOptions): Promise<string> {
  if (!options.generate) {
    const secret = await askSecret(run, `Secret of ${source.id} (not shown): `);
    checkSecret(source, secret);
    return secret;
  }
  if (options.out === undefined)
    throw usageError(
      '--generate without --out',
      'a file that takes the new secret, which is never printed',
      `--out ${source.id}.secret`,
    );
  const secret = generateSecret(source);
  try {
    writeFileSync(options.out, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new OperatorError(`Cannot write ${options.out}: ${(error as Error).message}`, 'usage', { cause: error });
  }
  run.out.note(`Wrote the new secret to ${options.out}; delete the file once ${source.spec.title} has it`);
  return secret;
}
