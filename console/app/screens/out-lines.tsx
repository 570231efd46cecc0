/** Endpoints and deliveries as lines of a list. */
import type { ComponentChildren } from 'preact';
import { addressWords, answerWords, unwellWords } from '../../../core/words.ts';
import { DaySpark } from '../../../ui/day.tsx';
import { State, Url } from '../../../ui/parts.tsx';
import { shortId, visible } from '../../../ui/text.tsx';
import { At, clock } from '../../../ui/time.tsx';
import type { OutDelivery, OutEndpoint } from '../../wire.ts';
import { Link } from '../parts/route.tsx';

export function hrefOf(...parts: readonly string[]): string {
  return `/out/${parts.map(encodeURIComponent).join('/')}`;
}

/** As the API takes it: the name that its maker chose, where there is one. */
export function nameOf({ id, uid }: { readonly id: string; readonly uid: string | null }): string {
  return uid === null ? id : `uid:${uid}`;
}

interface EndpointLineProps {
  readonly endpoint: OutEndpoint;
  readonly of?: string;
  /** What helps it, where the reader may do that. */
  readonly act?: ComponentChildren;
}

/** How it is, and what happens next. */
export function EndpointLine({ endpoint, of, act }: EndpointLineProps) {
  const { application, url, state, types, day } = endpoint;
  const words = unwellWords(endpoint, clock);
  return (
    <div class="line-row">
      <Link
        class={`line-link endpoint ${day === undefined ? '' : 'with-day'}`}
        href={hrefOf(application, 'endpoints', endpoint.id)}
      >
        <State of={state} />
        <span class="type">
          <Url of={addressWords(url)} />
        </span>
        <span class="faint right">{visible(of ?? endpoint.uid ?? '')}</span>
        <span class="note">{visible(words === '' ? types.join(', ') || 'every type' : words)}</span>
        {day === undefined ? null : <DaySpark day={day} />}
      </Link>
      {act}
    </div>
  );
}

interface DeliveryLineProps {
  readonly app: string;
  readonly delivery: OutDelivery;
  /** Where it goes, in a list of several endpoints; absent: the list is one endpoint's. Null: its owner reads. */
  readonly url?: string | null | undefined;
}

export function DeliveryLine({ app, delivery, url }: DeliveryLineProps) {
  const { endpoint, message, status, attempt_count: attempts, last_attempt: last, held } = delivery;
  const said = last === null ? '' : answerWords(last.status, last.class);
  return (
    <Link class="line-link delivery" href={hrefOf(app, 'endpoints', endpoint, message)}>
      <State of={status} />
      <span class="type">{url === undefined ? visible(delivery.type ?? '') : <Url of={addressWords(url)} />}</span>
      <code class="faint">{shortId(url === undefined ? message : endpoint)}</code>
      <span class="note">{visible(status === 'delivered' ? '' : said)}</span>
      <span class="faint right">
        {[attempts > 1 ? `${attempts} tries` : '', held ? 'on hold' : ''].filter(Boolean).join(' · ')}
      </span>
      <span class="faint right">
        <At of={delivery.created_at} />
      </span>
    </Link>
  );
}
