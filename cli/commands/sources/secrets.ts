/** `holdfast secrets ls`: which secrets an environment has. What they are is shown nowhere. */
import { toIso } from '#core/time.ts';
import { listSecrets, type SecretView } from '#operator/sources/list-secrets.ts';
import type { Run, RunCommand } from '../../run.ts';

const STYLES = { set: 'green', pairing: 'yellow', empty: 'red', absent: 'red', malformed: 'red' } as const;

export function addSecrets(program: RunCommand): void {
  const secrets = program.command('secrets').description('Secrets of the environment: which have a value');
  secrets
    .command('ls')
    .description(
      'List every secret: set or empty, since when, and who still uses the previous one. A value is never shown',
    )
    .examples(['holdfast secrets ls --env prod', 'name, what it is for, state, since when, the previous one'])
    .does(async run => {
      const views = await listSecrets(run);
      run.out.result({ secrets: views.map(jsonOf) }, () =>
        run.out.table(
          ['NAME', 'FOR', 'STATE', 'SINCE', 'PREVIOUS'],
          views.map(view => [
            view.name,
            view.for,
            run.out.paint(STYLES[view.state], view.state),
            view.setAt === undefined ? '-' : run.out.ago(view.setAt),
            previousText(run, view),
          ]),
        ),
      );
      const unset = views.find(({ toSet }) => toSet !== undefined);
      if (unset?.toSet !== undefined) run.out.next(run.command(unset.toSet), 'until then its source answers 503');
    });
}

function previousText({ out }: Run, { previous }: SecretView): string {
  if (previous === undefined) return '-';
  const { until, use } = previous;
  const valid = until === undefined ? 'valid' : `valid until ${toIso(until)}`;
  if (use === undefined) return valid;
  const since = out.ago(use.since);
  return use.lastAt === undefined
    ? `${valid}; nobody used it since ${since}`
    : `${valid}; used ${use.count} times since ${since}, last ${out.ago(use.lastAt)}`;
}

function jsonOf({ setAt, previous, toSet: _command, ...view }: SecretView) {
  const { until, use } = previous ?? {};
  return {
    ...view,
    set_at: isoOf(setAt),
    previous:
      previous === undefined
        ? null
        : {
            until: isoOf(until),
            used: use?.count ?? null,
            used_since: isoOf(use?.since),
            last_used_at: isoOf(use?.lastAt),
          },
  };
}

const isoOf = (ms: number | undefined): string | null => (ms === undefined ? null : toIso(ms));
