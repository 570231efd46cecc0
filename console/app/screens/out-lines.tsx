/** Endpoints and deliveries as lines of a list. */
import { State } from '../../../ui/parts.tsx';
import { shortId, visible } from '../../../ui/text.tsx';
import { At } from '../../../ui/time.tsx';
import type { OutDelivery, OutEndpoint } from '../../wire.ts';
import { Link } from '../parts/route.tsx';

export function hrefOf(...parts: readonly string[]): string {
  return `/out/${parts.map(encodeURIComponent).join('/')}`;
}

/** As the API takes it: the name that its maker chose, where there is one. */
export function nameOf({ id, uid }: { readonly id: string; readonly uid: string | null }): string {
  return uid === null ? id : `uid:${uid}`;
}

export function EndpointLine({ endpoint, of }: { readonly endpoint: OutEndpoint; readonly of?: string }) {
  const { application, url, why, state, types } = endpoint;
  return (
    <Link class="line-link endpoint" href={hrefOf(application, 'endpoints', endpoint.id)}>
      <State of={state} />
      <span class="type">{visible(url)}</span>
      <span class="note">{visible(why ?? (types.length === 0 ? 'every type' : types.join(', ')))}</span>
      <span class="faint right">{visible(of ?? endpoint.uid ?? '')}</span>
    </Link>
  );
}

interface DeliveryLineProps {
  readonly app: string;
  readonly delivery: OutDelivery;
  /** What tells it from the others of the list. */
  readonly name: string;
}

export function DeliveryLine({ app, delivery, name }: DeliveryLineProps) {
  const { endpoint, message, status, attempt_count: attempts, last_attempt: last, held } = delivery;
  const said = last === null ? '' : `${last.status ?? 'no answer'} ${last.class.replaceAll('_', ' ')}`;
  return (
    <Link class="line-link delivery" href={hrefOf(app, 'endpoints', endpoint, message)}>
      <State of={status === 'pending' ? 'waits' : status} />
      <span class="type">{visible(delivery.type ?? '')}</span>
      <code class="faint">{shortId(name)}</code>
      <span class="note">{visible(status === 'delivered' ? '' : said)}</span>
      <span class="faint right">
        {attempts > 1 ? `${attempts} tries` : ''}
        {held ? ' · held' : ''}
      </span>
      <span class="faint right">
        <At of={delivery.created_at} />
      </span>
    </Link>
  );
}
