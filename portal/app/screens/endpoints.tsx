/** All endpoints of the customer, each with how it is. */

import { useState } from 'preact/hooks';
import { grouped } from '../../../ui/grouped.ts';
import { Command, Empty, Shown, State } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { ask, useAsk } from '../parts/api.ts';
import { hrefOf } from '../parts/route.ts';
import { may, pathOf } from '../parts/session.ts';
import type { Endpoint, EndpointHealth, NewEndpoint, Page } from '../wire.ts';
import { EndpointForm } from './endpoint-form.tsx';

export function Endpoints() {
  const view = useAsk<Page<Endpoint>>(`${pathOf('endpoints')}?limit=250`, 10_000);
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<NewEndpoint>();
  const add = async (fields: object): Promise<void> => {
    setMade(await ask<NewEndpoint>(pathOf('endpoints'), { body: fields }));
    view.reload();
  };
  return (
    <>
      <header class="event-head">
        <h1>Endpoints</h1>
        {may('manage') ? (
          <div class="actions">
            <button type="button" class="primary" onClick={() => setAdding(true)}>
              Add endpoint …
            </button>
          </div>
        ) : null}
      </header>
      {made === undefined ? null : <Made endpoint={made} />}
      <Shown of={view}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No endpoint yet">
              <p>An endpoint is one of your URLs. It gets a request for each event. It begins with https://.</p>
            </Empty>
          ) : (
            <ul class="plain card lines">
              {data.map((each, n) => (
                <li key={each.id}>
                  <a class="line-link endpoint" href={hrefOf('endpoints', each.id)}>
                    <State of={each.state} />
                    <span class="type">{visible(each.url)}</span>
                    <span class="note">{n < WITH_HEALTH ? <Went endpoint={each} /> : visible(each.description)}</span>
                    <span class="faint right">
                      {visible(each.types.length === 0 ? 'every type' : each.types.join(', '))}
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
      {adding ? (
        <EndpointForm title="Add an endpoint" confirm="Add" onSubmit={add} onClose={() => setAdding(false)} />
      ) : null}
    </>
  );
}

/** So many are asked how they are: each is a call. */
const WITH_HEALTH = 10;

function waitingWords({ count, more, about }: EndpointHealth['waiting']): string {
  if (about !== null) return `about ${grouped(about)} waiting`;
  return count === 0 ? '' : `${grouped(count)}${more ? ' or more' : ''} waiting`;
}

/** What came of the last day, in a few words. */
function Went({ endpoint }: { readonly endpoint: Endpoint }) {
  const { data } = useAsk<EndpointHealth>(`${pathOf('endpoints', endpoint.id)}/health`, 30_000);
  if (data === undefined) return <>{visible(endpoint.description)}</>;
  const { success_rate_24h: rate, waiting, dead, last_failure: last } = data;
  const failed = last?.class ? `last answer ${last.code ?? 'none'}` : '';
  const words = [
    rate === null ? 'nothing sent in 24 hours' : `${Math.round(rate * 100)} % accepted in 24 hours`,
    waitingWords(waiting),
    dead === 0 ? '' : `${grouped(dead)} dead`,
    failed,
  ].filter(word => word !== '');
  return <span class={failed === '' ? '' : 'bad-text'}>{words.join(' · ')}</span>;
}

function Made({ endpoint }: { readonly endpoint: NewEndpoint }) {
  return (
    <section class="card guide" role="status">
      <h2>{visible(endpoint.url)} is there</h2>
      {endpoint.secret === undefined ? (
        <p>People who may see its signing secret find it on the page of the endpoint.</p>
      ) : (
        <>
          <p>
            We sign every request to it. Your server verifies the signature with this secret. You also find it on the
            endpoint's page.
          </p>
          <Command text={endpoint.secret} />
        </>
      )}
      <p>
        <a href={hrefOf('endpoints', endpoint.id, 'verify')}>How to verify a request</a>
      </p>
    </section>
  );
}
