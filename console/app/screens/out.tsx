/** Webhooks to customers: who does not get theirs, each application, its endpoints and messages. */

import { useState } from 'preact/hooks';
import { gateButton } from '../../../ui/gate.ts';
import { grouped } from '../../../ui/grouped.ts';
import { Button, Copy, Empty, Shown } from '../../../ui/parts.tsx';
import { shortId, visible } from '../../../ui/text.tsx';
import { At } from '../../../ui/time.tsx';
import type { OutApplication, OutDelivery, OutEndpoint, OutMessage } from '../../wire.ts';
import { useLoad } from '../parts/load.ts';
import { ShownTold, useTold } from '../parts/reads.tsx';
import { Link } from '../parts/route.tsx';
import { session } from '../parts/session.ts';
import { Body } from './out-body.tsx';
import { TEST_BUTTON, Test } from './out-endpoint.tsx';
import { type Act, Gate, HELPS } from './out-gate.tsx';
import { DeliveryLine, EndpointLine, hrefOf, nameOf } from './out-lines.tsx';

interface Overview {
  readonly applications: readonly OutApplication[];
  readonly endpoints: number;
  readonly unwell: readonly OutEndpoint[];
}

const REFRESH_MS = 15_000;

export function Out() {
  const view = useTold<Overview>('/api/out', REFRESH_MS);
  const [asking, setAsking] = useState<{ act: Act | 'test'; endpoint: OutEndpoint }>();
  const pathOf = ({ application, id }: OutEndpoint): string => `/api/out/apps/${application}/endpoints/${id}`;
  const stop = () => setAsking(undefined);
  // As the first button on its own page.
  const helpFor = (endpoint: OutEndpoint) => {
    const act = HELPS[endpoint.state] ?? 'test';
    return session().readOnly ? null : (
      <Button
        word={act === 'test' ? TEST_BUTTON : gateButton(act)}
        look="small"
        onClick={() => setAsking({ act, endpoint })}
      />
    );
  };
  return (
    <>
      <h1>Deliveries</h1>
      <ShownTold of={view}>
        {({ applications, endpoints, unwell }) =>
          applications.length === 0 ? (
            <Empty title="No application yet">
              <p>
                An application is one customer. Create one with <code>POST /v1/apps</code> (docs/api/delivery.md).
              </p>
            </Empty>
          ) : (
            <>
              <section class={`headline ${unwell.length === 0 ? 'well' : 'trouble'}`}>
                <span class="mark" aria-hidden="true">
                  {unwell.length === 0 ? '✓' : '✕'}
                </span>
                <div>
                  <h2 class="sentence">
                    {unwell.length === 0
                      ? `All ${count(endpoints, 'endpoint')} of ${count(applications.length, 'application')} get their webhooks`
                      : `${unwell.length} of ${count(endpoints, 'endpoint')} ${unwell.length === 1 ? 'does' : 'do'} not get ${unwell.length === 1 ? 'its' : 'their'} webhooks now`}
                  </h2>
                  <p>What cannot be delivered waits, or is dead after its last try. Both can be sent again.</p>
                </div>
              </section>
              {unwell.length === 0 ? null : (
                <section aria-labelledby="unwell-title">
                  <h2 id="unwell-title">Not well</h2>
                  <div class="card lines" role="list">
                    {unwell.map(each => (
                      <div role="listitem" key={each.id}>
                        <EndpointLine endpoint={each} of={nameIn(applications, each.application)} act={helpFor(each)} />
                      </div>
                    ))}
                  </div>
                </section>
              )}
              <section aria-labelledby="apps-title">
                <h2 id="apps-title">Applications</h2>
                <div class="card lines" role="list">
                  {applications.map(app => (
                    <div role="listitem" key={app.id}>
                      <Link class="line-link app" href={hrefOf(nameOf(app))}>
                        <span class="type">{visible(app.name)}</span>
                        <code class="faint">{visible(app.uid ?? shortId(app.id))}</code>
                        <span class="faint right">{count(app.endpoints, 'endpoint')}</span>
                      </Link>
                    </div>
                  ))}
                </div>
              </section>
            </>
          )
        }
      </ShownTold>
      {asking?.act === 'test' ? <Test path={pathOf(asking.endpoint)} onClose={stop} /> : null}
      {asking === undefined || asking.act === 'test' ? null : (
        <Gate act={asking.act} path={pathOf(asking.endpoint)} onClose={stop} onDone={view.reload} />
      )}
    </>
  );
}

function nameIn(applications: readonly OutApplication[], id: string): string {
  return applications.find(app => app.id === id)?.name ?? id;
}

const count = (n: number, noun: string): string => `${grouped(n)} ${noun}${n === 1 ? '' : 's'}`;

/** One customer. */
export function OutApp({ app }: { readonly app: string }) {
  const path = `/api/out/apps/${encodeURIComponent(app)}`;
  const view = useLoad<{ application?: OutApplication; endpoints: readonly OutEndpoint[] }>(path, REFRESH_MS);
  const messages = useLoad<{ messages: readonly OutMessage[] }>(`${path}/messages?limit=30`, REFRESH_MS);
  return (
    <>
      <Shown of={view}>
        {({ application, endpoints }) => (
          <>
            <header class="event-head">
              <div>
                <p class="crumbs">
                  <Link href="/out">Deliveries</Link>
                </p>
                <h1>{visible(application?.name ?? app)}</h1>
                <p class="faint">
                  <code>{visible(application?.id ?? app)}</code> <Copy text={application?.id ?? app} what="its id" />
                </p>
              </div>
            </header>
            <section aria-labelledby="endpoints-title">
              <h2 id="endpoints-title">Endpoints</h2>
              {endpoints.length === 0 ? (
                <Empty title="This application has no endpoint">
                  <p>Its messages are kept, and nothing is sent until it has one.</p>
                </Empty>
              ) : (
                <div class="card lines" role="list">
                  {endpoints.map(each => (
                    <div role="listitem" key={each.id}>
                      <EndpointLine endpoint={{ ...each, application: app }} />
                    </div>
                  ))}
                </div>
              )}
            </section>
          </>
        )}
      </Shown>
      <section aria-labelledby="messages-title">
        <h2 id="messages-title">Newest messages</h2>
        <Shown of={messages}>
          {({ messages: found }) =>
            found.length === 0 ? (
              <Empty title="No message yet">
                <p>What is published for this application shows here.</p>
              </Empty>
            ) : (
              <div class="card lines" role="list">
                {found.map(each => (
                  <div role="listitem" key={each.id}>
                    <Link class="line-link message" href={hrefOf(app, 'messages', each.id)}>
                      <span class="type">{visible(each.type)}</span>
                      <code class="faint">{shortId(each.id)}</code>
                      <span class="faint right">{grouped(each.size)} bytes</span>
                      <span class="faint right">
                        <At of={each.created_at} />
                      </span>
                    </Link>
                  </div>
                ))}
              </div>
            )
          }
        </Shown>
      </section>
    </>
  );
}

/** One message: what became of it at each endpoint, and what is sent. */
export function OutMessageScreen({ app, message }: { readonly app: string; readonly message: string }) {
  const path = `/api/out/apps/${encodeURIComponent(app)}/messages/${encodeURIComponent(message)}`;
  const view = useLoad<{ deliveries: readonly OutDelivery[]; urls: Readonly<Record<string, string | null>> }>(
    path,
    5_000,
  );
  return (
    <>
      <header class="event-head">
        <div>
          <p class="crumbs">
            <Link href="/out">Deliveries</Link> / <Link href={hrefOf(app)}>{visible(app)}</Link>
          </p>
          <h1>Message</h1>
          <p class="faint">
            <code>{visible(message)}</code> <Copy text={message} what="its id" />
          </p>
        </div>
      </header>
      <section aria-labelledby="became-title">
        <h2 id="became-title">At each endpoint</h2>
        <Shown of={view}>
          {({ deliveries, urls }) =>
            deliveries.length === 0 ? (
              <Empty title="No endpoint wanted it">
                <p>Or it has not been fanned out yet: that takes about a second.</p>
              </Empty>
            ) : (
              <div class="card lines" role="list">
                {deliveries.map(each => (
                  <div role="listitem" key={each.endpoint}>
                    <DeliveryLine app={app} delivery={each} url={urls[each.endpoint]} />
                  </div>
                ))}
              </div>
            )
          }
        </Shown>
      </section>
      <section class="card guide" aria-labelledby="body-title">
        <h2 id="body-title">What is sent</h2>
        <Body path={`${path}/body`} />
      </section>
    </>
  );
}
