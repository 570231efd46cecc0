/** `holdfast sources ips`: the addresses providers say they send from, for `allowList`. */
import type { Command } from 'commander';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { notCovered, type RefreshedList, refreshList } from '#operator/address-ranges.ts';
import { CliError, EXIT, type ExitCode } from '#operator/operator-error.ts';
import { PROVIDERS } from '#providers/index.ts';
import { type CommandSet, type Run, withExamples } from '../run.ts';

interface ListView extends RefreshedList {
  readonly provider: string;
  readonly sources: readonly string[];
  readonly published_at: string;
  /** By source: ranges its `allowList` would refuse. */
  readonly refused: Readonly<Record<string, readonly string[]>>;
}

export function addSourcesIps(sources: Command, set: CommandSet): void {
  withExamples(
    sources
      .command('ips')
      .argument('[source]', 'only of the provider of this source')
      .description('Show the address ranges that providers publish, and what an allow list would refuse')
      .option('--refresh', 'fetch the published lists, and write them into providers/ with the date')
      .option('--all', 'of every provider that publishes some, not only of those you have sources of'),
    ['holdfast sources ips github', 'one range a line, for allowList in gateway.config.ts'],
    ['holdfast sources ips --refresh', 'before an allow list is changed; then commit providers/'],
  ).action(
    set.action(async (run, source: string | undefined, options: { refresh?: boolean; all?: boolean }) => {
      const specs = specsOf(run, source, options.all === true);
      const progress = run.out.progress('Fetching');
      const views: ListView[] = [];
      for (const spec of specs) {
        if (options.refresh) progress.update(views.length, specs.length, spec.id);
        views.push(await viewOf(run, spec, options.refresh === true));
      }
      progress.end();
      show(run, views, source !== undefined);
      const failed = views.filter(view => view.outcome === 'failed').length;
      return failed === 0 ? EXIT.ok : failed === views.length ? EXIT.failure : (EXIT.partial as ExitCode);
    }),
  );
}

type Publishing = ProviderSpec & { readonly ips: NonNullable<ProviderSpec['ips']> };

function specsOf(run: Run, name: string | undefined, all: boolean): readonly Publishing[] {
  const configured = run.deployment.sources.map(({ source }) => source.spec);
  const asked =
    name === undefined ? [...configured, ...(all ? Object.values(PROVIDERS) : [])] : [run.source(name).spec];
  const specs = [...new Map(asked.map(spec => [spec.id, spec])).values()];
  const publishing = specs.filter((spec): spec is Publishing => spec.ips !== undefined);
  if (publishing.length > 0) return publishing;
  throw new CliError(
    `${specs.map(spec => spec.title).join(', ')}: no address ranges are known to be published.\nThose that are: ${run.command('sources ips --all')}`,
    EXIT.notFound,
  );
}

async function viewOf(run: Run, spec: Publishing, refresh: boolean): Promise<ListView> {
  const sources = run.deployment.sources.map(each => each.source).filter(source => source.spec.id === spec.id);
  const { ranges, readOn, from } = spec.ips;
  const kept: RefreshedList = { outcome: 'kept', ranges, read_on: readOn };
  const list = refresh ? await refreshList(spec, run.publishedLists, run.clock.now()) : kept;
  const refused = sources.flatMap((source: ResolvedSource) => {
    const missing = source.allowList === undefined ? [] : notCovered(list.ranges, source.allowList);
    return missing.length === 0 ? [] : [[source.id, missing] as const];
  });
  return {
    provider: spec.id,
    sources: sources.map(({ id }) => id),
    published_at: from,
    ...list,
    refused: Object.fromEntries(refused),
  };
}

function show(run: Run, views: readonly ListView[], one: boolean): void {
  run.out.result({ providers: views }, () =>
    one
      ? views.flatMap(view => view.ranges)
      : run.out.table(
          ['PROVIDER', 'SOURCES', 'RANGES', 'READ ON', 'STATE', 'PUBLISHED AT'],
          views.map(view => [
            view.provider,
            view.sources.join(', ') || '-',
            String(view.ranges.length),
            view.read_on,
            view.outcome === 'failed' ? run.out.paint('red', 'failed') : stateOf(view),
            run.out.paint('cyan', view.published_at),
          ]),
        ),
  );
  for (const view of views) {
    if (view.problem !== undefined) run.out.note(`${view.provider}: ${view.problem}`);
    for (const [source, missing] of Object.entries(view.refused))
      run.out.note(`${source}: its allowList would answer 403 to ${missing.join(', ')}`);
  }
  if (views.some(view => view.outcome === 'refreshed'))
    run.out.next('npm run docs:providers', 'the pages with the new ranges; then commit providers/ and docs/');
  else if (views.every(view => view.outcome === 'kept'))
    run.out.next(run.command('sources ips --refresh'), 'the ranges of today');
}

function stateOf({ outcome, added = [], removed = [] }: ListView): string {
  return outcome === 'refreshed' ? `+${added.length} -${removed.length}` : outcome.replaceAll('_', ' ');
}
