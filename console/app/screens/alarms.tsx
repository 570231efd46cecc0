/** All alarms by state, and the runbook of the one that is open. */

import { Empty, Shown, State } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { Ago } from '../../../ui/time.tsx';
import type { AlarmRow } from '../../wire.ts';
import { useLoad } from '../parts/load.ts';
import { Markdown } from '../parts/markdown.tsx';
import { Link, usePlace } from '../parts/route.tsx';

export function Alarms() {
  const { query } = usePlace();
  const view = useLoad<{ alarms: readonly AlarmRow[] }>('/api/alarms', 15_000);
  return (
    <>
      <h1>Alarms</h1>
      <Shown of={view}>
        {({ alarms }) => {
          const named = query.get('runbook');
          const open =
            alarms.find(it => it.name === query.get('name')) ??
            (named === null ? alarms.find(it => it.state === 'ALARM') : undefined);
          const runbook = open?.runbook ?? named ?? undefined;
          if (alarms.length === 0 && runbook === undefined)
            return (
              <Empty title="No alarm is deployed here">
                <p>
                  Alarms come with the stacks: <code>alarms</code> of the environment in gateway.config.ts.
                </p>
              </Empty>
            );
          return (
            <div class="columns alarms">
              <nav class="card" aria-label="Alarms">
                <ul class="plain">
                  {alarms.map(alarm => (
                    <li key={alarm.name}>
                      <Link
                        href={`/alarms?name=${encodeURIComponent(alarm.name)}`}
                        aria-current={alarm === open ? 'true' : undefined}
                      >
                        <State of={alarm.state === 'ALARM' && alarm.notice ? 'notice' : alarm.state} />{' '}
                        <span>{alarm.runbook}</span>
                      </Link>
                    </li>
                  ))}
                </ul>
              </nav>
              <section class="card guide">
                {open === undefined ? null : (
                  <>
                    <p>
                      <State of={open.state === 'ALARM' && open.notice ? 'notice' : open.state} /> since{' '}
                      <Ago at={open.since} />
                    </p>
                    <p>{visible(open.reason)}</p>
                  </>
                )}
                {runbook === undefined ? (
                  <p class="faint">Choose an alarm: what it means and the first command show here.</p>
                ) : (
                  <Runbook name={runbook} />
                )}
              </section>
            </div>
          );
        }}
      </Shown>
    </>
  );
}

function Runbook({ name }: { readonly name: string }) {
  const view = useLoad<{ markdown: string }>(`/api/runbooks/${encodeURIComponent(name)}`);
  return <Shown of={view}>{({ markdown }) => <Markdown text={markdown} />}</Shown>;
}
