/** One endpoint: how it is, what it got, its secret, how to verify, and what can be done. */

import { useState } from 'preact/hooks';
import { addressWords, deadWords, endpointWords, waitsWords } from '../../../core/words.ts';
import { DayChart } from '../../../ui/day.tsx';
import { gateButton } from '../../../ui/gate.ts';
import { HealthFacts } from '../../../ui/health.tsx';
import { Button, Copy, Shown, State } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { clock } from '../../../ui/time.tsx';
import { ask, useAsk } from '../parts/api.ts';
import { go, hrefOf } from '../parts/route.ts';
import { closers, may, pathOf, producer } from '../parts/session.ts';
import type { Endpoint, EndpointHealth } from '../wire.ts';
import { Deliveries } from './deliveries.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { type Act, Gate } from './gate.tsx';
import { Read } from './read.tsx';
import { Secret } from './secret.tsx';
import { Test } from './test.tsx';
import { Verify } from './verify.tsx';

const TABS = [
  ['deliveries', 'Deliveries'],
  ['secret', 'Signing secret'],
  ['verify', 'How to verify'],
  ['read', 'How to read'],
] as const;

/** Of one that is read nothing is signed. */
const tabsOf = ({ url }: Endpoint) =>
  TABS.filter(
    ([name]) =>
      name === 'deliveries' ||
      (url === null ? name === 'read' : name !== 'read' && (name !== 'secret' || may('secrets'))),
  );

export function EndpointScreen({ ep, tab }: { readonly ep: string; readonly tab: string }) {
  const path = pathOf('endpoints', ep);
  const view = useAsk<Endpoint>(path, 5_000);
  const health = useAsk<EndpointHealth>(`${path}/health`, 5_000);
  const day = health.data?.last_day;
  const [asking, setAsking] = useState<Act | 'edit' | 'test'>();
  const close = (): void => setAsking(undefined);
  const again = (): void => {
    view.reload();
    health.reload();
  };
  const change = async (fields: object): Promise<void> => {
    await ask(path, { method: 'PATCH', body: fields });
    again();
  };
  return (
    <Shown of={view}>
      {endpoint => (
        <>
          <Head endpoint={endpoint} ask={setAsking} />
          <Told endpoint={endpoint} health={health.data} />
          {day === undefined ? null : (
            <section class="card guide" aria-label="The last day">
              <DayChart day={day} />
            </section>
          )}
          <div class="columns">
            <section class="card tabs">
              <nav class="menu tab-links" aria-label="This endpoint">
                {tabsOf(endpoint).map(([name, word]) => (
                  <a
                    key={name}
                    href={name === 'deliveries' ? hrefOf('endpoints', ep) : hrefOf('endpoints', ep, name)}
                    aria-current={tab === name ? 'page' : undefined}
                  >
                    {word}
                  </a>
                ))}
              </nav>
              <div class="tab-content">
                {tab === 'secret' && may('secrets') ? (
                  <Secret path={path} signature={endpoint.signature} />
                ) : tab === 'read' ? (
                  <Read ep={ep} />
                ) : tab === 'verify' ? (
                  <Verify endpoint={endpoint} />
                ) : (
                  <Deliveries endpoint={endpoint} />
                )}
              </div>
            </section>
            <aside class="card facts" aria-label="How it is">
              <h2>How it is</h2>
              <Shown of={health}>{data => <HealthFacts health={data} types={endpoint.types} />}</Shown>
            </aside>
          </div>
          {asking === 'edit' ? (
            <EndpointForm
              title="Change the endpoint"
              confirm="Save"
              endpoint={endpoint}
              onSubmit={change}
              onClose={close}
            />
          ) : asking === 'test' ? (
            <Test path={path} types={endpoint.types} onClose={close} />
          ) : asking === undefined ? null : (
            <Gate
              act={asking}
              path={path}
              onClose={close}
              onDone={asking === 'delete' ? () => go('endpoints') : again}
            />
          )}
        </>
      )}
    </Shown>
  );
}

function Head({
  endpoint,
  ask: askFor,
}: {
  readonly endpoint: Endpoint;
  readonly ask: (act: Act | 'edit' | 'test') => void;
}) {
  const { gate, closed_by: by } = endpoint;
  const button = (act: Act | 'edit' | 'test', word: string, look = '') => (
    <Button word={word} look={look} onClick={() => askFor(act)} key={act} />
  );
  return (
    <header class="event-head">
      <div>
        <p class="crumbs">
          <a href={hrefOf('endpoints')}>Endpoints</a>
        </p>
        <h1>
          {visible(addressWords(endpoint.url))} <State of={endpoint.state} />
        </h1>
        <p class="faint">
          {endpoint.description === '' ? null : `${visible(endpoint.description)} · `}
          <code>{visible(endpoint.id)}</code> <Copy text={endpoint.id} what="its id" />
        </p>
      </div>
      <div class="actions">
        {may('test') && gate !== 'disabled' && endpoint.url !== null ? button('test', 'Test …') : null}
        {may('manage') ? (
          <>
            {button('edit', 'Edit …')}
            {gate === 'open' ? (['pause', 'disable'] as const).map(act => button(act, gateButton(act))) : null}
            {gate === 'paused' && by !== 'operator' ? button('resume', gateButton('resume'), 'primary') : null}
            {gate === 'disabled' && by !== 'operator' ? button('enable', gateButton('enable'), 'primary') : null}
            {endpoint.state === 'holding' ? button('trial', gateButton('trial'), 'primary') : null}
            {button('delete', gateButton('delete'), 'apart')}
          </>
        ) : null}
      </div>
    </header>
  );
}

/** What a person must know before anything else, in one sentence. */
function Told({ endpoint, health }: { readonly endpoint: Endpoint; readonly health: EndpointHealth | undefined }) {
  const { gate, closed_by: by, state } = endpoint;
  if (state === 'ok') return null;
  const { waiting, dead = 0, dead_more: isMore = false } = health ?? {};
  const closed = gate === 'open' ? '' : `${gate} `;
  const then =
    gate === 'open'
      ? ''
      : `. Nothing is sent; what waits is kept. ${by === 'operator' ? `Ask ${producer()} to open it` : ''}`;
  const said = [
    `${closed}${endpointWords(endpoint, clock, closers())}`,
    waiting === undefined ? '' : waitsWords(waiting),
    deadWords(dead, isMore),
  ];
  return (
    <p class="banner">
      <span>{visible(`${said.filter(each => each !== '').join('; ')}${then}`)}</span>
    </p>
  );
}
