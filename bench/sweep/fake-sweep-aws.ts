/** AWS for the sweeper and the audit, with as much work as they ask for: parked events that are due, arrivals, records. */
import { HOUR_MS } from '#core/time.ts';
import { sentAnswer, serveStandIn, startStandIn, stateItem } from '../loopback/stand-in.ts';

/** Pieces of work of one run. */
export const COUNT = { sends: 2_000, arrivals: 20_000, records: 20_000 } as const;
export type Work = keyof typeof COUNT;
const PAGE = { sends: 100, arrivals: 1_000, records: 1_000 } as const;
/** The target of the call before each run, and after the last one: all its work is there again. */
export const NEXT_RUN = 'Bench.NextRun';

interface Body {
  readonly IndexName?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S?: string; readonly N?: string }>>;
  readonly RequestItems?: Readonly<
    Record<string, { readonly Keys: readonly { readonly pk: { readonly S: string } }[] }>
  >;
  readonly Key?: { readonly pk: { readonly S: string } };
  readonly MessageBody?: string;
}

/** An answer of the stand-in. `work`: what there is to do; without it every list is empty. */
function answer(target: string, body: Body, work: Work, state: { given: number; done: number }): unknown {
  const operation = target.split('.')[1];
  const now = Date.now();
  const items = (count: number) =>
    Array.from({ length: count }, () => {
      state.given += 1;
      return `github#evt_${state.given}`;
    });
  switch (operation) {
    case 'Query': {
      const values = body.ExpressionAttributeValues ?? {};
      const wanted = body.IndexName === (work === 'sends' ? 'watch' : 'timeline');
      const isFirst =
        work === 'sends' ? values[':p']?.S === 'github#0' : values[':p']?.S?.startsWith('github#2') === true;
      const isFar = work === 'sends' && values[':from']?.N !== '0';
      if (!wanted || !isFirst || isFar || state.given >= COUNT[work]) return { Items: [], Count: 0 };
      const Items = items(PAGE[work]).map(pk => ({
        pk: { S: pk },
        ...(work === 'sends'
          ? { watchShard: { S: 'github#0' }, watchAt: { N: String(now - HOUR_MS) } }
          : { timelineAt: { S: `${Number(values[':from']?.S?.slice(0, 13)) + 1}#${pk}` }, eventType: { S: 'push' } }),
      }));
      return { Items, LastEvaluatedKey: Items.at(-1) };
    }
    case 'Scan': {
      if (body.IndexName === 'watch' && work === 'sends') return { Items: [{ watchShard: { S: 'github#0' } }] };
      if (work !== 'records' || state.given >= COUNT.records) return { Items: [] };
      state.done += PAGE.records;
      const Items = items(PAGE.records).map(pk => hourOld(pk, 'records', now));
      return { Items, LastEvaluatedKey: { pk: Items.at(-1)?.pk } };
    }
    case 'BatchGetItem': {
      const keys = body.RequestItems?.['events']?.Keys ?? [];
      if (work === 'arrivals') state.done += keys.length;
      return { Responses: { events: keys.map(({ pk }) => hourOld(pk.S, work, now)) }, UnprocessedKeys: {} };
    }
    case 'UpdateItem':
      return { Attributes: hourOld(body.Key?.pk.S ?? '', work, now) };
    case 'SendMessage':
      state.done += 1;
      return sentAnswer(body.MessageBody);
    case 'GetQueueAttributes':
      return { Attributes: { ApproximateNumberOfMessages: '0' } };
    default:
      return {};
  }
}

/** An hour old: parked and due, or done. */
function hourOld(pk: string, work: Work, now: number) {
  const at = { N: String(now - HOUR_MS) };
  const parked = { status: { S: 'deferred' }, parked: { BOOL: true }, nextAttemptAt: at };
  const rest =
    work === 'sends'
      ? { ...parked, watchShard: { S: `${pk.split('#')[0]}#0` }, watchAt: at }
      : { status: { S: 'completed' }, completedAt: at, expiresAt: { N: String(Math.floor(now / 1_000) + 86_400) } };
  return stateItem(pk, now - HOUR_MS, rest);
}

function serve(work: Work): void {
  const state = { given: 0, done: 0 };
  let runs = 0;
  let short = 0;
  serveStandIn(
    (target, body) => {
      if (target === NEXT_RUN) {
        // A figure is for this much work and no less.
        if (runs > 0 && state.done < COUNT[work]) short += 1;
        runs += 1;
        Object.assign(state, { given: 0, done: 0 });
      }
      return answer(target, JSON.parse(body || '{}') as Body, work, state);
    },
    () => {
      if (short > 0) console.error(`${work}: ${short} of ${runs - 1} runs did less than ${COUNT[work]}`);
      return short > 0 ? 1 : 0;
    },
  );
}

/** Starts the stand-in. `stop` throws when a run between two calls of `NEXT_RUN` did less than all of its work. */
export async function startFakeSweepAws(work: Work): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { url, stop } = await startStandIn(import.meta.filename, work);
  return {
    url,
    async stop() {
      if ((await stop()) !== 0) throw new Error('the figure would be of less work');
    },
  };
}

if (import.meta.main) serve(process.argv[2] as Work);
