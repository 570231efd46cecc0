/** `holdfast refused`: requests that were not accepted, and why. */
import { toIso } from '#core/time.ts';
import { listRefused, type RefusedRequest, showRefused } from '#operator/refused/refused.ts';
import { filterOf } from '../filter-options.ts';
import type { RunCommand } from '../run.ts';

interface ListOptions {
  readonly source?: string;
  readonly cause?: string;
  readonly since: string;
}

export function addRefused(program: RunCommand): void {
  const refused = program.command('refused').description('Refused requests: list, show');

  refused
    .command('ls')
    .description('List the last 20 refused requests of each source and cause, newest first')
    .option('--source <names>', 'sources, separated by commas (default: all)')
    .option('--cause <cause>', 'only this cause, e.g. mismatch')
    .option('--since <when>', 'refused since then', '72h')
    .examples(['holdfast refused ls --source stripe', 'what was refused, when, and what is likely wrong'])
    .does(async (run, { source, cause, since }: ListOptions) => {
      const filter = filterOf(run, { source, since });
      const found = await listRefused(run, { sources: filter.sources, cause, since: filter.since });
      run.out.result(found.map(toJson), () =>
        run.out.table(
          ['ID', 'REFUSED', 'LIKELY'],
          found.map(({ id, at, likely }) => [id, run.out.ago(at), likely]),
          'Nothing was refused.',
        ),
      );
      const [newest] = found;
      if (newest) run.out.next(run.command(`refused show ${newest.id}`), 'its headers and body');
    });

  refused
    .command('show')
    .argument('<id>', 'its id, as refused ls shows it')
    .description('Show a refused request: its cause, headers without signatures and credentials, start of its body')
    .examples(['holdfast refused show stripe.mismatch.07', 'what came, and what is likely wrong'])
    .does(async (run, id: string) => {
      const found = await showRefused(run, id);
      const { headers, body, ...request } = found;
      const value = { ...toJson(request), headers: headers ?? null, body: body?.toString('utf8') ?? null };
      run.out.result(value, () => [
        `${run.out.paint('bold', found.id)}  refused ${run.out.ago(found.at)}, ${found.size} bytes`,
        `${run.out.paint('red', found.cause)}${found.hint === undefined ? '' : ` (${found.hint})`}: ${found.likely}`,
        ...Object.entries(headers ?? {}).map(([name, text]) => `${run.out.paint('dim', `${name}:`)} ${text}`),
        ...(body === undefined ? ['(headers and body are not kept: quarantine: false)'] : ['', body.toString('utf8')]),
      ]);
      run.out.note('It was not accepted and cannot be replayed: the provider has to send it again.');
    });
}

function toJson({ at, ...request }: RefusedRequest): Record<string, unknown> {
  return { ...request, hint: request.hint ?? null, at: toIso(at) };
}
