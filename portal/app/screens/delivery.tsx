/** One message at one endpoint: each attempt, what was sent, what was answered; send it again. */
import { useState } from 'preact/hooks';
import { type Attempt as AttemptOf, type Delivery, SENT_AGAIN } from '../../../ui/delivery.ts';
import { Attempts, Text } from '../../../ui/exchange.tsx';
import { REASON_ASKED } from '../../../ui/gate.ts';
import { Held } from '../../../ui/held.tsx';
import { Ask, Button, Copy, Shown, State } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { At } from '../../../ui/time.tsx';
import { ask, useAsk } from '../parts/api.ts';
import { hrefOf } from '../parts/route.ts';
import { may, pathOf } from '../parts/session.ts';
import type { Page } from '../wire.ts';

export function DeliveryScreen({ ep, message }: { readonly ep: string; readonly message: string }) {
  const path = `${pathOf('endpoints', ep)}/deliveries/${encodeURIComponent(message)}`;
  const attempts = useAsk<Page<AttemptOf>>(`${path}/attempts`, 5_000);
  const all = useAsk<Page<Delivery>>(
    `${pathOf('messages', message)}/deliveries?endpoint=${encodeURIComponent(ep)}`,
    5_000,
  );
  const [asking, setAsking] = useState(false);
  const [delivery] = all.data?.data ?? [];
  const again = (): void => {
    attempts.reload();
    all.reload();
  };
  return (
    <>
      <header class="event-head">
        <div>
          <p class="crumbs">
            <a href={hrefOf('endpoints')}>Endpoints</a> / <a href={hrefOf('endpoints', ep)}>Deliveries</a>
          </p>
          <h1>
            {visible(delivery?.type ?? 'Delivery')} {delivery === undefined ? null : <State of={delivery.status} />}
          </h1>
          <p class="faint">
            <code>{visible(message)}</code> <Copy text={message} what="its webhook-id" />
            {delivery === undefined ? null : (
              <>
                {' '}
                · published <At of={delivery.created_at} />
              </>
            )}
            {delivery?.next_retry_at ? (
              <>
                {' '}
                · next try <At of={delivery.next_retry_at} />
              </>
            ) : null}
            {delivery?.held ? (
              <>
                {' '}
                · <Held delivery={delivery} />
              </>
            ) : null}
          </p>
        </div>
        {may('replay') && delivery !== undefined && delivery.status !== 'pending' ? (
          <div class="actions">
            <Button
              word={delivery.status === 'retrying' ? 'Try now …' : 'Send again …'}
              look="primary"
              onClick={() => setAsking(true)}
            />
          </div>
        ) : null}
      </header>
      <section class="card guide" aria-labelledby="attempts-title">
        <h2 id="attempts-title">Attempts</h2>
        <Shown of={attempts}>{({ data }) => <Attempts of={data} />}</Shown>
      </section>
      {may('read_bodies') ? <Sent message={message} /> : null}
      {asking && delivery !== undefined ? (
        <Replay
          path={path}
          isRetrying={delivery.status === 'retrying'}
          onClose={() => setAsking(false)}
          onDone={again}
        />
      ) : null}
    </>
  );
}

function Sent({ message }: { readonly message: string }) {
  const [asked, setAsked] = useState(false);
  const view = useAsk<{ content_type: string; base64: string }>(
    asked ? `${pathOf('messages', message)}/body` : undefined,
  );
  return (
    <section class="card guide" aria-labelledby="sent-title">
      <h2 id="sent-title">The body</h2>
      {asked ? (
        <Shown of={view}>{({ base64 }) => <Text text={textOf(base64)} />}</Shown>
      ) : (
        <Button word="Show the body" onClick={() => setAsked(true)} />
      )}
    </section>
  );
}

function textOf(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), each => each.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

interface ReplayProps {
  readonly path: string;
  readonly isRetrying: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Replay({ path, isRetrying, onClose, onDone }: ReplayProps) {
  const [requestId] = useState(() => crypto.randomUUID());
  const submit = (why: string): Promise<unknown> => {
    const now = isRetrying ? { now: true } : {};
    return ask(`${path}/replay`, { body: { request_id: requestId, ...now, ...(why === '' ? {} : { why }) } });
  };
  const field = { label: REASON_ASKED, autofocus: true, fits: () => true };
  return (
    <Ask title="Send this delivery again" confirm="Send again" onConfirm={submit} {...{ field, onDone, onClose }}>
      <p>{SENT_AGAIN}</p>
    </Ask>
  );
}
