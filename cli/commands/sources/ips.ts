/** `holdfast sources ips`: the addresses providers say they send from, for `allowList`. */
import { type AddressList, publishingProviders, readAddressList } from '#operator/sources/address-lists.ts';
import { EXIT, type ExitCode } from '../../cli-error.ts';
import type { Run, RunCommand } from '../../run.ts';

export function addSourcesIps(sources: RunCommand): void {
  sources
    .command('ips')
    .argument('[source]', 'only for the provider of this source')
    .description('Show address ranges that providers publish, and which of them your allow list would refuse')
    .option('--refresh', 'fetch the published lists, and write them into providers/ with the date')
    .option('--all', 'also for providers that none of your sources uses')
    .examples(
      ['holdfast sources ips github', 'one range on each line, for allowList in gateway.config.ts'],
      ['holdfast sources ips --refresh', 'do this before you change an allow list; then commit providers/'],
    )
    .does(async (run, source: string | undefined, options: { refresh?: boolean; all?: boolean }) => {
      const specs = publishingProviders(run, { source, all: options.all === true });
      const progress = run.out.progress('Fetching');
      const views: AddressList[] = [];
      for (const spec of specs) {
        if (options.refresh) progress.update(views.length, specs.length, spec.id);
        views.push(await readAddressList(run, spec, options.refresh ? run.publishedLists : undefined));
      }
      progress.end();
      show(run, views, source !== undefined);
      const failed = views.filter(view => view.outcome === 'failed').length;
      return failed === 0 ? EXIT.ok : failed === views.length ? EXIT.failure : (EXIT.partial as ExitCode);
    });
}

function show(run: Run, views: readonly AddressList[], one: boolean): void {
  const providers = views.map(({ publishedAt, ...view }) => ({ ...view, published_at: publishedAt }));
  run.out.result({ providers }, () =>
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
            run.out.paint('cyan', view.publishedAt),
          ]),
        ),
  );
  for (const view of views) {
    if (view.problem !== undefined) run.out.note(`${view.provider}: ${view.problem}`);
    for (const [source, missing] of Object.entries(view.refused))
      run.out.note(`${source}: its allowList would answer 403 to ${missing.join(', ')}`);
  }
  if (views.some(view => view.outcome === 'refreshed'))
    run.out.next('npm run write', 'the pages with the new ranges; then commit providers/ and docs/');
  else if (views.every(view => view.outcome === 'kept'))
    run.out.next(run.command('sources ips --refresh'), 'the ranges of today');
}

function stateOf({ outcome, added = [], removed = [] }: AddressList): string {
  return outcome === 'refreshed' ? `+${added.length} -${removed.length}` : outcome.replaceAll('_', ' ');
}
