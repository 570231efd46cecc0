import { causeWords } from '../../../core/words.ts';
import { State } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { Ago, duration } from '../../../ui/time.tsx';
import type { EventRow } from '../../wire.ts';
import { Link } from './route.tsx';

/** What the error says: its cause stands before it, and the name of its class in most. A replayed event has it without a cause. */
const brief = ({ error, cause = '' }: EventRow): string =>
  error === undefined ? causeWords(cause) : error.replace(/^[a-z_]+: /, '').replace(/^\w*Error: /, '');

/** One event as a line of a list. Its cells keep their places whatever is in them. */
export function EventLine({ row, active }: { readonly row: EventRow; readonly active?: boolean }) {
  const note = row.status === 'completed' ? '' : brief(row);
  return (
    <Link
      class={`event-line ${active ? 'active' : ''}`}
      href={`/events/${encodeURIComponent(row.id)}`}
      data-id={row.id}
    >
      <State of={row.status} />
      <span class="type">{visible(row.type)}</span>
      <span class="source faint">{visible(row.source)}</span>
      <span class="note" title={visible(note)}>
        {visible(note)}
      </span>
      <span class="took faint">
        {[row.attempts > 1 ? `${row.attempts} tries` : '', row.tookMs === undefined ? '' : duration(row.tookMs)]
          .filter(Boolean)
          .join(' · ')}
      </span>
      <span class="when faint">
        <Ago at={row.receivedAt} />
      </span>
    </Link>
  );
}
