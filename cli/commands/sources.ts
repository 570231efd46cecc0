/** `holdfast sources`: what is received, where, and with which state of secret. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { parseSecret } from '#adapters/secrets/parse-secret.ts';
import { secretName } from '#core/config/deployment.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { readPauses } from '#core/inbound/protocol/pause-source.ts';
import { readMoment } from '#core/inbound/search/event-filter.ts';
import { toIso } from '#core/time.ts';
import { usableSecret } from '#core/verification/check-spec.ts';
import { makeSecret } from '#operator/make-secret.ts';
import { CliError, EXIT, usageError } from '#operator/operator-error.ts';
import { commandToSet, mustExist, stateOf } from '#operator/stored-state.ts';
import { askSecret } from '../read-input.ts';
import { type CommandSet, type Run, withExamples } from '../run.ts';
import { addSourcesIps } from './sources-ips.ts';
import { addSourcesPair } from './sources-pair.ts';

const SECRET_STYLES = { 'not needed': 'dim', pairing: 'yellow', empty: 'red', absent: 'red' } as const;

interface SecretOptions {
  readonly generate?: boolean;
  readonly out?: string;
  readonly grace?: string;
  readonly yes?: boolean;
}

export function addSources(program: Command, set: CommandSet): void {
  const sources = program
    .command('sources')
    .description('Sources: list them, set, rotate and pair their secrets, see the addresses they send from');

  withExamples(sources.command('ls').description('List the sources with their URLs and the state of their secrets'), [
    'holdfast sources ls',
    'id, provider, URL, secret, pause',
  ]).action(set.action(listSources));

  withExamples(
    sources
      .command('set-secret')
      .argument('<source>')
      .description('Set the secret of a source: asked for, or read from stdin; never taken from the command line')
      .option('--generate', 'make a new random one')
      .option('--out <file>', 'where to write the generated one, for the provider (only you can read the file)')
      .option('--yes', 'replace a secret that is there, without asking'),
    ['holdfast sources set-secret stripe', 'asks for it without showing it'],
    ['pbpaste | holdfast sources set-secret stripe --env prod --yes', 'from the clipboard'],
    ['holdfast sources set-secret github --generate --out github.secret', 'a new one, to give to GitHub'],
  ).action(
    set.action(async (run, name: string, options: SecretOptions) => {
      const source = run.source(name);
      const { secrets } = await run.gateway();
      const stored = await secrets.read(secretName(run.environment, source.id));
      mustExist(run, source, stored.kind);
      if (stateOf(stored, run.clock.now()) === 'set') {
        run.out.note(
          `Requests signed with the present secret will be refused. To keep both valid for a while: ${run.command(`sources rotate ${source.id}`)}`,
        );
        await run.confirm(`Replace the secret of ${source.id} in ${run.environment}?`, options.yes);
      }
      await secrets.write(secretName(run.environment, source.id), await newSecret(run, source, options));
      run.out.result({ source: source.id, secret: 'set' }, () => [
        `The secret of ${source.id} is set; functions use it within five minutes`,
      ]);
      run.out.next(run.command(`send ${source.id}`), 'a signed sample event');
    }),
  );

  withExamples(
    sources
      .command('rotate')
      .argument('<source>')
      .description('Set a new secret; the present one stays valid beside it for a while')
      .option('--grace <time>', 'how long the present one stays valid', '24h')
      .option('--generate', 'make a new random one')
      .option('--out <file>', 'where to write the generated one, for the provider')
      .option('--yes', 'do not ask'),
    ['holdfast sources rotate stripe --grace 24h', 'then change it at the provider'],
  ).action(
    set.action(async (run, name: string, options: SecretOptions) => {
      const source = run.source(name);
      const now = run.clock.now();
      const graceUntil = 2 * now - (readMoment(options.grace ?? '24h', now) ?? Number.NaN);
      if (!(graceUntil > now && graceUntil <= now + 30 * 86_400_000))
        throw usageError(`--grace: "${options.grace}"`, 'a time from 1s to 30d', '--grace 24h');
      const { secrets } = await run.gateway();
      const stored = await secrets.read(secretName(run.environment, source.id));
      mustExist(run, source, stored.kind);
      const present = parseSecret(stored.text);
      if (present.kind !== 'secret')
        throw new CliError(`${source.id} has no secret to rotate.\nSet one: ${run.command(commandToSet(source))}`);
      await run.confirm(`Rotate the secret of ${source.id} in ${run.environment}?`, options.yes);
      const current = await newSecret(run, source, options);
      const rotation = { current, previous: present.secret.current, previousNotAfter: graceUntil };
      await secrets.write(secretName(run.environment, source.id), JSON.stringify(rotation));
      run.out.result({ source: source.id, secret: 'rotated', previous_not_after: toIso(graceUntil) }, () => [
        `Both secrets of ${source.id} are valid until ${toIso(graceUntil)}. Give the new one to ${source.spec.title} now`,
      ]);
      run.out.next(run.command('doctor'), 'says who still uses an old one');
    }),
  );

  addSourcesPair(sources, set);
  addSourcesIps(sources, set);
}

async function listSources(run: Run): Promise<void> {
  const { secrets, control, apiUrl } = await run.gateway();
  const pauses = await readPauses(control);
  const views = await Promise.all(
    run.deployment.sources.map(async ({ source, needsSecret }) => {
      const pause = pauses[source.id];
      const stored = needsSecret ? await secrets.read(secretName(run.environment, source.id)) : undefined;
      const rotation = stored?.text === undefined ? undefined : parseSecret(stored.text);
      const until = rotation?.kind === 'secret' ? rotation.secret.previousNotAfter : undefined;
      const pairingUntil = rotation?.kind === 'unset' ? rotation.pairingUntil : undefined;
      return {
        source: source.id,
        provider: source.spec.id,
        url: source.publicUrl ?? `${apiUrl}${source.paths[0]}`,
        secret: stored === undefined ? ('not needed' as const) : stateOf(stored, run.clock.now()),
        secret_changed_at: stored?.changedAt === undefined ? undefined : toIso(stored.changedAt),
        previous_secret_until: until === undefined ? undefined : toIso(until),
        pairing_until: pairingUntil === undefined ? undefined : toIso(pairingUntil),
        paused: pause === undefined ? null : { ...pause, since: toIso(pause.since) },
      };
    }),
  );
  run.out.result({ sources: views }, () =>
    run.out.table(
      ['SOURCE', 'PROVIDER', 'SECRET', 'STATE', 'URL'],
      views.map(view => [
        view.source,
        view.provider,
        view.secret === 'set'
          ? `set ${view.secret_changed_at === undefined ? '' : run.out.ago(Date.parse(view.secret_changed_at))}`.trim()
          : run.out.paint(SECRET_STYLES[view.secret], view.secret),
        view.paused === null ? 'receiving' : run.out.paint('yellow', `paused by ${view.paused.by}`),
        run.out.paint('cyan', view.url),
      ]),
    ),
  );
  const unset = views.find(view => view.secret === 'empty' || view.secret === 'absent');
  if (unset) run.out.next(run.command(commandToSet(run.source(unset.source))), 'until then it answers 503');
  else if (views[0]) run.out.next(run.command(`send ${views[0].source}`), 'a signed sample event');
}

async function newSecret(run: Run, source: ResolvedSource, options: SecretOptions): Promise<string> {
  if (!options.generate) {
    const secret = await askSecret(run, `Secret of ${source.id} (not shown): `);
    const problem = usableSecret(secret, source.spec);
    if (problem !== undefined) {
      const given = `This cannot be a secret of ${source.spec.title}: ${problem}`;
      throw usageError(given, 'the text as the provider shows it', 'copy it whole, prefix included');
    }
    return secret;
  }
  if (options.out === undefined)
    throw usageError(
      '--generate without --out',
      'a file for the new secret, which is never printed',
      `--out ${source.id}.secret`,
    );
  const secret = makeSecret(source.spec, randomBytes(32));
  try {
    writeFileSync(options.out, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new CliError(`Cannot write ${options.out}: ${(error as Error).message}`, EXIT.usage, { cause: error });
  }
  run.out.note(`Wrote the new secret to ${options.out}; delete the file once ${source.spec.title} has it`);
  return secret;
}
