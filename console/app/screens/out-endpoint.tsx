/** One endpoint of a customer: how it is, what it got, and what can be done. */
import { useState } from 'preact/hooks';
import { addressWords, answerWords, endpointWords, isWellState, stateWord } from '../../../core/words.ts';
import { ByType, DayChart } from '../../../ui/day.tsx';
import { Headers, Text } from '../../../ui/exchange.tsx';
import { gateButton } from '../../../ui/gate.ts';
import { HealthFacts } from '../../../ui/health.tsx';
import { Ask, Button, Copy, Empty, Shown, State } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { clock, duration } from '../../../ui/time.tsx';
import type { OutDelivery, OutEndpoint, OutHealth, OutTest } from '../../wire.ts';
import { ask } from '../parts/api.ts';
import { useLoad } from '../parts/load.ts';
import { go, Link, usePlace, withQuery } from '../parts/route.tsx';
import { session } from '../parts/session.ts';
import { type Act, Gate, HELPS } from './out-gate.tsx';
import { DeliveryLine, hrefOf } from './out-lines.tsx';

/** Rows of the list. */
const MOST = 200;
const STATUSES = ['', 'pending', 'retrying', 'delivered', 'dead', 'aborted', 'expired', 'dropped', 'canceled'];

export function OutEndpointScreen({ app, ep }: { readonly app: string; readonly ep: string }) {
  const path = `/api/out/apps/${encodeURIComponent(app)}/endpoints/${encodeURIComponent(ep)}`;
  const view = useLoad<{ endpoint?: OutEndpoint; health: OutHealth }>(path, 5_000);
  const [asking, setAsking] = useState<Act | 'test'>();
  return (
    <>
      <Shown of={view}>
        {({ endpoint, health }) => (
          <>
            <header class="event-head">
              <div>
                <p class="crumbs">
                  <Link href="/out">Deliveries</Link> / <Link href={hrefOf(app)}>{visible(app)}</Link>
                </p>
                <h1>
                  {visible(endpoint === undefined ? ep : addressWords(endpoint.url))} <State of={health.state} />
                </h1>
                <p class="faint">
                  <code>{visible(ep)}</code> <Copy text={ep} what="its id" />
                </p>
              </div>
              {session().readOnly ? null : <Acts health={health} endpoint={endpoint} ask={setAsking} />}
              {health.state === 'ok' ? null : (
                <p class={isWellState(health.state) ? 'faint' : 'error-line'}>
                  {visible(
                    `${health.gate === 'open' ? '' : `${stateWord(health.state)} `}${endpointWords(health, clock)}`,
                  )}
                </p>
              )}
            </header>
            {health.last_day === undefined ? null : (
              <section class="card guide" aria-label="The last day">
                <DayChart day={health.last_day} />
              </section>
            )}
            <div class="columns">
              <Deliveries app={app} path={path} />
              <aside class="card facts" aria-label="How it is">
                <HealthFacts health={health} types={endpoint?.types ?? []} />
              </aside>
            </div>
          </>
        )}
      </Shown>
      {asking === 'test' ? <Test path={path} onClose={() => setAsking(undefined)} /> : null}
      {asking !== undefined && asking !== 'test' ? (
        <Gate act={asking} path={path} onClose={() => setAsking(undefined)} onDone={view.reload} />
      ) : null}
    </>
  );
}

interface ActsProps {
  readonly health: OutHealth;
  readonly endpoint: OutEndpoint | undefined;
  readonly ask: (act: Act | 'test') => void;
}

function Acts({ health, endpoint, ask: askFor }: ActsProps) {
  const gate = endpoint?.gate ?? 'open';
  const acts: readonly Act[] =
    gate === 'disabled'
      ? ['enable']
      : [...(health.state === 'holding' ? ['trial' as const] : []), gate === 'paused' ? 'resume' : 'pause'];
  return (
    <div class="actions">
      {acts.map(act => (
        <Button
          word={gateButton(act)}
          look={act === HELPS[health.state] ? 'primary' : ''}
          onClick={() => askFor(act)}
          key={act}
        />
      ))}
      {gate === 'disabled' || endpoint?.url === null ? null : (
        <Button
          word={TEST_BUTTON}
          look={HELPS[health.state] === undefined ? 'primary' : ''}
          onClick={() => askFor('test')}
        />
      )}
    </div>
  );
}

function Deliveries({ app, path }: { readonly app: string; readonly path: string }) {
  const { query } = usePlace();
  const status = query.get('status') ?? '';
  const view = useLoad<{ deliveries: readonly OutDelivery[] }>(
    `${path}/deliveries?${new URLSearchParams({ status, limit: String(MOST) })}`,
    5_000,
  );
  return (
    <section aria-labelledby="deliveries-title">
      <div class="section-head">
        <h2 id="deliveries-title">Deliveries, newest first</h2>
        <label class="inline">
          <span class="faint">State</span>{' '}
          <select
            value={status}
            onChange={event =>
              go(withQuery(location.pathname, query, { status: event.currentTarget.value }), { replace: true })
            }
          >
            {STATUSES.map(each => (
              <option key={each} value={each}>
                {each === '' ? 'all' : stateWord(each)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Shown of={view}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <Empty title="No delivery">
              <p>
                {status === ''
                  ? 'Nothing has been published that it asks for.'
                  : 'None is in this state. Choose all states.'}
              </p>
            </Empty>
          ) : (
            <>
              <ByType deliveries={deliveries} more={deliveries.length === MOST} />
              <div class="card lines" role="list">
                {deliveries.map(each => (
                  <div role="listitem" key={each.message}>
                    <DeliveryLine app={app} delivery={each} />
                  </div>
                ))}
              </div>
            </>
          )
        }
      </Shown>
    </section>
  );
}

export const TEST_BUTTON = 'Send a test …';

export function Test({ path, onClose }: { readonly path: string; readonly onClose: () => void }) {
  const [sent, setSent] = useState<OutTest>();
  return (
    <Ask
      title="Send a test"
      confirm={sent === undefined ? 'Sign and send' : 'Sent'}
      onConfirm={async () => setSent(await ask<OutTest>(`${path}/test`, { body: {} }))}
      stays
      onClose={onClose}
      disabled={sent !== undefined}
    >
      {sent === undefined ? (
        <p>Sends one signed request now, past every queue. At most ten a minute for each application.</p>
      ) : (
        <>
          <p role="status">
            <State of={sent.success ? 'delivered' : 'failed attempt'} />{' '}
            {visible(answerWords(sent.status_code, sent.class))}, in {duration(sent.duration_ms)}.{' '}
            {sent.detail === null ? '' : visible(sent.detail)}
          </p>
          <Headers of={sent.request.headers} />
          <Text text={sent.request.body ?? ''} />
          {sent.response_body === '' ? null : (
            <>
              <h3>Answered</h3>
              <Text text={sent.response_body ?? ''} />
            </>
          )}
        </>
      )}
    </Ask>
  );
}
