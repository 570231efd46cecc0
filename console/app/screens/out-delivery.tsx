/** One message at one endpoint: each attempt, what was sent and what was answered; send it again. */
import { useState } from 'preact/hooks';
import { serverNow } from '../../../ui/clock.ts';
import { SENT_AGAIN } from '../../../ui/delivery.ts';
import { Attempts } from '../../../ui/exchange.tsx';
import { Ask, Button, Empty, Shown, State } from '../../../ui/parts.tsx';
import { shortId, visible } from '../../../ui/text.tsx';
import { At } from '../../../ui/time.tsx';
import type { OutAttempt, OutDelivery } from '../../wire.ts';
import { ask } from '../parts/api.ts';
import { useLoad } from '../parts/load.ts';
import { Link } from '../parts/route.tsx';
import { session } from '../parts/session.ts';
import { Body } from './out-body.tsx';
import { hrefOf } from './out-lines.tsx';

interface Props {
  readonly app: string;
  readonly ep: string;
  readonly message: string;
}

export function OutDeliveryScreen({ app, ep, message }: Props) {
  const base = `/api/out/apps/${encodeURIComponent(app)}`;
  const path = `${base}/endpoints/${encodeURIComponent(ep)}/deliveries/${encodeURIComponent(message)}`;
  const view = useLoad<{ attempts: readonly OutAttempt[]; delivery?: OutDelivery }>(path, 5_000);
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Shown of={view}>
        {({ attempts, delivery }) => (
          <>
            <header class="event-head">
              <div>
                <p class="crumbs">
                  <Link href="/out">Deliveries</Link> / <Link href={hrefOf(app)}>{visible(app)}</Link> /{' '}
                  <Link href={hrefOf(app, 'endpoints', ep)}>{shortId(ep)}</Link>
                </p>
                <h1>
                  {visible(delivery?.type ?? 'Delivery')}{' '}
                  {delivery === undefined ? null : <State of={delivery.status} />}
                </h1>
                <p class="faint">
                  <Link href={hrefOf(app, 'messages', message)}>{visible(message)}</Link>
                  {delivery === undefined ? null : (
                    <>
                      {' '}
                      · published <At of={delivery.created_at} />
                    </>
                  )}
                  {delivery?.next_retry_at ? (
                    <>
                      {' '}
                      · {Date.parse(delivery.next_retry_at) <= serverNow() ? 'next try is due' : 'next try '}
                      {Date.parse(delivery.next_retry_at) <= serverNow() ? null : <At of={delivery.next_retry_at} />}
                    </>
                  ) : null}
                </p>
              </div>
              {session().readOnly ? null : (
                <div class="actions">
                  <Button word="Send again …" look="primary" onClick={() => setAsking(true)} />
                </div>
              )}
            </header>
            <section class="card guide" aria-labelledby="attempts-title">
              <h2 id="attempts-title">Attempts</h2>
              {attempts.length === 0 ? (
                <Empty title={delivery?.status === 'delivered' ? 'Delivered at the first attempt' : 'No attempt yet'}>
                  <p>Every failed attempt is kept here, with what was sent and the answer.</p>
                </Empty>
              ) : (
                <Attempts of={attempts} />
              )}
            </section>
          </>
        )}
      </Shown>
      <section class="card guide" aria-labelledby="sent-title">
        <h2 id="sent-title">What is sent</h2>
        <Body path={`${base}/messages/${encodeURIComponent(message)}/body`} />
      </section>
      {asking ? (
        <Ask
          title="Send this delivery again"
          confirm="Send again"
          field={{ label: 'Why?', placeholder: 'their deploy is fixed', autofocus: true }}
          onConfirm={why => ask(`${path}/replay`, { body: { why } })}
          onDone={view.reload}
          onClose={() => setAsking(false)}
        >
          <p>{SENT_AGAIN}</p>
        </Ask>
      ) : null}
    </>
  );
}
