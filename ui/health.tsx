/** How an endpoint is, as facts. */

import type { ComponentChildren } from 'preact';
import { answerWords, waitsWords } from '../core/words.ts';
import type { Health } from './delivery.ts';
import { grouped } from './grouped.ts';
import { visible } from './text.tsx';
import { At, duration } from './time.tsx';

export function HealthFacts({ health, types }: { readonly health: Health; readonly types: readonly string[] }) {
  const { waiting } = health;
  const isRead = health.state === 'pulled';
  return (
    <dl>
      <Fact name="to deliver">
        {waitsWords(waiting) || 'nothing'}
        {waiting.oldest_at === null ? null : (
          <>
            , oldest <At of={waiting.oldest_at} />
          </>
        )}
      </Fact>
      {isRead ? (
        <Fact name="last acknowledged">
          <At of={health.last_success_at} />
        </Fact>
      ) : (
        <Sent health={health} />
      )}
      <Fact name="types">{visible(types.length === 0 ? 'every type' : types.join(', '))}</Fact>
    </dl>
  );
}

/** Of an endpoint that something is sent to. */
function Sent({ health }: { readonly health: Health }) {
  const { last_failure: failure } = health;
  const percent = (share: number | null): string => (share === null ? '–' : `${Math.round(share * 1_000) / 10} %`);
  return (
    <>
      <Fact name="dead">
        {grouped(health.dead)}
        {health.dead_more ? ' or more' : ''} now, {grouped(health.died)} ever
      </Fact>
      <Fact name="success">
        {percent(health.success_rate_1h)} this hour, {percent(health.success_rate_24h)} in a day
      </Fact>
      <Fact name="answers in">{health.last_success_at === null ? '–' : duration(health.response_ms ?? 0)}</Fact>
      <Fact name="last success">
        <At of={health.last_success_at} />
      </Fact>
      <Fact name="last failure">
        <At of={failure?.at} />
        {failure?.class ? ` (${visible(answerWords(failure.code, failure.class))})` : ''}
      </Fact>
      <Fact name="failing since">
        <At of={health.failing_since} />
      </Fact>
      {health.egress_suspected ? (
        <Fact name="our way out">is under suspicion: a failure without an answer does not count</Fact>
      ) : null}
      <Fact name="next try">
        <At of={health.next_trial_at} />
      </Fact>
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
