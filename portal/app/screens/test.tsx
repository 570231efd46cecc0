/** A signed request now: what was sent, and what the endpoint said. */
import { useState } from 'preact/hooks';
import { answerWords } from '../../../core/words.ts';
import type { TestResult } from '../../../ui/delivery.ts';
import { Headers, Text } from '../../../ui/exchange.tsx';
import { Ask, Field, State } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { duration } from '../../../ui/time.tsx';
import { ask, useAsk } from '../parts/api.ts';
import type { EventType, Page } from '../wire.ts';

interface TestProps {
  readonly path: string;
  readonly types: readonly string[];
  readonly onClose: () => void;
}

export function Test({ path, types, onClose }: TestProps) {
  const [type, setType] = useState(types.find(each => !each.endsWith('*')) ?? 'test.webhook');
  const [sent, setSent] = useState<TestResult>();
  const catalogue = useAsk<Page<EventType>>('/event-types?limit=250').data?.data ?? [];
  const example = catalogue.find(each => each.name === type)?.example ?? null;
  return (
    <Ask
      title="Send a test"
      confirm={sent === undefined ? 'Send' : 'Send again'}
      working="Sending …"
      cancel="Close"
      onConfirm={async () => setSent(await ask<TestResult>(`${path}/test`, { body: { type } }))}
      stays
      onClose={onClose}
    >
      <p>
        This sends one signed request with the example of the type and the header x-webhook-test. It is not a delivery.
      </p>
      <Field
        label="Event type"
        value={type}
        onInput={setType}
        options={catalogue.map(({ name }) => name)}
        hint={
          example === null
            ? 'This type has no example, so the data is {"test":true}.'
            : 'Its data is the example of this type.'
        }
        autofocus
      />
      {sent === undefined ? null : <Result of={sent} />}
    </Ask>
  );
}

function Result({ of }: { readonly of: TestResult }) {
  return (
    <section role="status" class="test-result">
      <p>
        <State of={of.success ? 'delivered' : 'failed attempt'} /> {visible(answerWords(of.status_code, of.class))} in{' '}
        {duration(of.duration_ms)}. {visible(of.detail ?? '')}
      </p>
      {of.response_body ? (
        <>
          <h3>Answered</h3>
          <Text text={of.response_body} />
        </>
      ) : null}
      <details>
        <summary>What was sent</summary>
        <p>
          <b>POST</b> <code>{visible(of.request.url)}</code>
        </p>
        <Headers of={of.request.headers} />
        {of.request.body === null ? null : <Text text={of.request.body} />}
      </details>
    </section>
  );
}
