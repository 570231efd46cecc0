/** All endpoints of the customer, each with how it is. */

import { useState } from 'preact/hooks';
import { addressWords, type DayCounts, deadWords, endpointWords, waitsWords } from '../../../core/words.ts';
import { DaySpark } from '../../../ui/day.tsx';
import { Button, Command, Empty, Shown, State, Url } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { clock } from '../../../ui/time.tsx';
import { ask, useAsk } from '../parts/api.ts';
import { hrefOf } from '../parts/route.ts';
import { appId, closers, may, pathOf } from '../parts/session.ts';
import type { Endpoint, EndpointHealth, NewEndpoint, Page, Stats } from '../wire.ts';
import { EndpointForm } from './endpoint-form.tsx';

export function Endpoints() {
  const view = useAsk<Page<Endpoint>>(`${pathOf('endpoints')}?limit=250`, 10_000);
  const days = useAsk<Stats>(`/stats?app=${encodeURIComponent(appId())}`, 60_000).data?.each;
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
            <Button word="Add endpoint …" look="primary" onClick={() => setAdding(true)} />
          </div>
        ) : null}
      </header>
      {made === undefined ? null : <Made endpoint={made} />}
      <Shown of={view}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No endpoint yet">
              <p>
                An endpoint is one of your URLs, which gets a request for each event; or a place that your program
                reads.
              </p>
            </Empty>
          ) : (
            <ul class="plain card lines">
              {data.map((each, n) => (
                <li key={each.id}>
                  <a class="line-link endpoint with-day" href={hrefOf('endpoints', each.id)}>
                    <State of={each.state} />
                    <span class="type">
                      <Url of={addressWords(each.url)} />
                    </span>
                    <span class="faint right">
                      {visible(each.types.length === 0 ? 'every type' : each.types.join(', '))}
                    </span>
                    <span class="note">
                      {visible(endpointWords(each, clock, closers()))}
                      {n < WITH_HEALTH ? <Waits endpoint={each} /> : null}
                    </span>
                    <Day of={days?.find(({ endpoint }) => endpoint === each.id)} />
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

/** Until it is known, its place is kept. */
const Day = ({ of }: { readonly of: DayCounts | undefined }) =>
  of === undefined ? <span class="day-spark" /> : <DaySpark day={of} />;

/** Each of these costs a call, which asks how the endpoint is. */
const WITH_HEALTH = 10;

/** What waits and what is dead. */
function Waits({ endpoint }: { readonly endpoint: Endpoint }) {
  const { data } = useAsk<EndpointHealth>(`${pathOf('endpoints', endpoint.id)}/health`, 30_000);
  if (data === undefined) return null;
  const { waiting, dead, dead_more: isMore } = data;
  return <>{[waitsWords(waiting), deadWords(dead, isMore)].map(said => (said === '' ? '' : `; ${said}`))}</>;
}

function Made({ endpoint }: { readonly endpoint: NewEndpoint }) {
  if (endpoint.url === null)
    return (
      <section class="card guide" role="status">
        <h2>It is there: your program reads</h2>
        <p>
          Next: <a href={hrefOf('endpoints', endpoint.id, 'read')}>how to read, and how to say what you have</a>.
        </p>
      </section>
    );
  return (
    <section class="card guide" role="status">
      <h2>{visible(addressWords(endpoint.url))} is there</h2>
      {endpoint.verify_with === undefined ? (
        <p>People who may see its signing secret find it on the page of the endpoint.</p>
      ) : (
        <>
          <p>
            We sign every request to it. Your server verifies the signature with this. You also find it on the
            endpoint's page.
          </p>
          <Command text={endpoint.verify_with} />
        </>
      )}
      <p>
        Next: <a href={hrefOf('endpoints', endpoint.id)}>open it and send a test</a>, or read{' '}
        <a href={hrefOf('endpoints', endpoint.id, 'verify')}>how to verify a request</a>.
      </p>
    </section>
  );
}
