/** Deliveries of one endpoint or of all, newest first; filters in the address; many at once sent again. */
import { useMemo, useState } from 'preact/hooks';
import { addressWords, answerWords, stateWord } from '../../../core/words.ts';
import { serverNow } from '../../../ui/clock.ts';
import { ByType } from '../../../ui/day.tsx';
import type { Delivery } from '../../../ui/delivery.ts';
import { Held } from '../../../ui/held.tsx';
import { useAct } from '../../../ui/load.ts';
import { Button, Empty, Shown, State, Trouble, Url } from '../../../ui/parts.tsx';
import { shortId, visible } from '../../../ui/text.tsx';
import { At } from '../../../ui/time.tsx';
import { ask, useAsk } from '../parts/api.ts';
import { changeQuery, hrefOf, usePlace } from '../parts/route.ts';
import { may, pathOf } from '../parts/session.ts';
import type { DeliveryPage, Endpoint, Page } from '../wire.ts';
import { JobProgress, ReplayMany } from './replay-many.tsx';

const STATUSES = ['pending', 'retrying', 'delivered', 'dead', 'aborted', 'expired', 'dropped', 'canceled'];
const REPLAYED = ['retrying', 'delivered', 'dead', 'aborted', 'expired', 'dropped', 'canceled'];
/** Back from now, in hours; the address keeps the word. */
const WINDOWS: Readonly<Record<string, number>> = { 'last hour': 1, 'last day': 24, 'last week': 168 };
const HOUR_MS = 3_600_000;
const CODES = ['2xx', '3xx', '4xx', '5xx', 'none'];

/** The first screen: what was delivered, wherever it went. */
export function AllDeliveries() {
  const { data } = useAsk<Page<Endpoint>>(`${pathOf('endpoints')}?limit=250`, 60_000);
  return (
    <>
      <header class="event-head">
        <h1>Deliveries</h1>
      </header>
      <section class="card tab-content">
        <Deliveries urls={new Map(data?.data.map(({ id, url }) => [id, addressWords(url)]))} />
      </section>
    </>
  );
}

interface DeliveriesProps {
  /** Absent: those of all. */
  readonly endpoint?: Endpoint;
  readonly urls?: ReadonlyMap<string, string>;
}

export function Deliveries({ endpoint, urls }: DeliveriesProps) {
  const place = usePlace();
  const { query } = place;
  const filter = new URLSearchParams(
    ['status', 'type', 'code_class'].flatMap(name => (query.get(name) ? [[name, query.get(name) ?? '']] : [])),
  );
  const within = query.get('within') ?? '';
  const since = useMemo(() => {
    const hours = WINDOWS[within];
    return hours === undefined ? undefined : new Date(serverNow() - hours * HOUR_MS).toISOString();
  }, [within]);
  if (since !== undefined) filter.set('since', since);
  const base = endpoint ? `${pathOf('endpoints', endpoint.id)}/deliveries` : pathOf('deliveries');
  const view = useAsk<DeliveryPage>(
    `${base}?${filter}${filter.size === 0 ? '' : '&'}limit=100`,
    endpoint ? 5_000 : 10_000,
  );
  const [replaying, setReplaying] = useState(false);
  const [job, setJob] = useState<string>();
  const status = query.get('status') ?? '';
  return (
    <>
      <div class="filters">
        <Choice name="status" word="State" options={STATUSES} value={status} />
        <label>
          <span>Type</span>
          <input
            value={query.get('type') ?? ''}
            onChange={event => changeQuery(place, { type: event.currentTarget.value.trim() })}
          />
        </label>
        <Choice name="code_class" word="Answer" options={CODES} value={query.get('code_class') ?? ''} />
        <Choice name="within" word="Published" options={Object.keys(WINDOWS)} value={within} />
        {may('replay') ? (
          <Button
            word="Send many again …"
            disabled={view.data === undefined}
            onClick={() => {
              // What is counted is what is sent: a state is chosen first.
              const there = (wanted: string) => view.data?.data.some(each => each.status === wanted);
              if (!REPLAYED.includes(status)) changeQuery(place, { status: there('dead') ? 'dead' : 'retrying' });
              setReplaying(true);
            }}
          />
        ) : null}
      </div>
      {job === undefined ? null : <JobProgress id={job} onDone={view.reload} />}
      <Shown of={view}>{page => <List key={`${filter}`} urls={urls} page={page} base={base} filter={filter} />}</Shown>
      {replaying && REPLAYED.includes(status) ? (
        <ReplayMany endpoint={endpoint} filter={filter} onClose={() => setReplaying(false)} onStarted={setJob} />
      ) : null}
    </>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly word: string;
  readonly options: readonly string[];
  readonly value: string;
}

function Choice({ name, word, options, value }: ChoiceProps) {
  const place = usePlace();
  return (
    <label>
      <span>{word}</span>
      <select value={value} onChange={event => changeQuery(place, { [name]: event.currentTarget.value })}>
        <option value="">any</option>
        {options.map(option => (
          <option key={option} value={option}>
            {option === 'none' ? 'no answer' : stateWord(option)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ListProps {
  readonly urls: ReadonlyMap<string, string> | undefined;
  readonly page: DeliveryPage;
  readonly base: string;
  readonly filter: URLSearchParams;
}

function List({ urls, page, base, filter }: ListProps) {
  const [more, setMore] = useState<{ data: readonly Delivery[]; cursor: string | null }>();
  const cursor = more === undefined ? page.cursor : more.cursor;
  const { problem, act } = useAct();
  const look = async (): Promise<void> => {
    const next = new URLSearchParams([...filter, ['limit', '100'], ['cursor', cursor ?? '']]);
    const found = await ask<DeliveryPage>(`${base}?${next}`);
    setMore(before => ({ data: [...(before?.data ?? []), ...found.data], cursor: found.cursor }));
  };
  const known = new Set(page.data.map(keyOf));
  const all = [...page.data, ...(more?.data ?? []).filter(each => !known.has(keyOf(each)))];
  return (
    <>
      {all.length === 0 ? (
        <Empty title="No delivery like that">
          <p>
            {filter.size > 0
              ? 'None fits the filters above so far. Choose “any” to see all.'
              : cursor === null
                ? 'You will see the first event that an endpoint of yours gets here.'
                : 'None was found so far.'}
          </p>
        </Empty>
      ) : (
        <>
          {urls === undefined ? <ByType deliveries={all} more={cursor !== null} /> : null}
          <ul class="plain lines">
            {all.map(each => (
              <li key={keyOf(each)}>
                <Line delivery={each} url={urls?.get(each.endpoint)} />
              </li>
            ))}
          </ul>
        </>
      )}
      {cursor === null ? null : (
        <p class="look-on">
          <Button word="Show older ones" onClick={() => act(look)} />
        </p>
      )}
      {problem === undefined ? null : <Trouble of={problem} />}
    </>
  );
}

const keyOf = ({ message, endpoint }: Delivery): string => `${message} ${endpoint}`;

/** `url`: where the list is of all endpoints. */
function Line({ delivery, url }: { readonly delivery: Delivery; readonly url: string | undefined }) {
  const { message, endpoint, status, type, last_attempt: last, attempt_count: attempts, held } = delivery;
  const said = last === null ? '' : answerWords(last.status, last.class);
  return (
    <a class="line-link delivery" href={hrefOf('endpoints', endpoint, 'deliveries', message)}>
      <State of={status} />
      <span class="type">{visible(type ?? '')}</span>
      {url === undefined ? (
        <code class="faint">{shortId(message)}</code>
      ) : (
        <span class="faint to">
          <Url of={url} />
        </span>
      )}
      <span class="note">
        {status === 'delivered' ? '' : visible(said)}
        {held && said !== '' ? ' · ' : ''}
        {held ? <Held delivery={delivery} /> : null}
      </span>
      <span class="faint right">{attempts > 1 ? `${attempts} tries` : ''}</span>
      <span class="faint right">
        <At of={delivery.created_at} />
      </span>
    </a>
  );
}
