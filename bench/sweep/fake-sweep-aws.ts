/** AWS for the sweeper and the audit, with as much work as they ask for: parked events that are due, arrivals, records. */
import { createHash } from 'node:crypto';
import { HOUR_MS } from '#core/time.ts';
import { serveStandIn, startStandIn } from '../loopback/stand-in.ts';

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
      const Items = items(PAGE.records).map(pk => stateItem(pk, 'records', now));
      return { Items, LastEvaluatedKey: { pk: Items.at(-1)?.pk } };
    }
    case 'BatchGetItem': {
      const keys = body.RequestItems?.['events']?.Keys ?? [];
      if (work === 'arrivals') state.done += keys.length;
      return { Responses: { events: keys.map(({ pk }) => stateItem(pk.S, work, now)) }, UnprocessedKeys: {} };
    }
    case 'UpdateItem':
      return { Attributes: stateItem(body.Key?.pk.S ?? '', work, now) };
    case 'SendMessage':
      state.done += 1;
      return { MessageId: '5fea7756-0ea4-451a-a703-a558b933e274', MD5OfMessageBody: md5(body.MessageBody ?? '') };
    case 'GetQueueAttributes':
      return { Attributes: { ApproximateNumberOfMessages: '0' } };
    default:
      return {};
  }
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

function stateItem(pk: string, work: Work, now: number) {
  const at = { N: String(now - HOUR_MS) };
  const [source = '', key = ''] = pk.split('#');
  const rest =
    work === 'sends'
      ? {
          status: { S: 'deferred' },
          parked: { BOOL: true },
          nextAttemptAt: at,
          watchShard: { S: `${source}#0` },
          watchAt: { N: String(now - HOUR_MS) },
        }
      : { status: { S: 'completed' }, completedAt: at, expiresAt: { N: String(Math.floor(now / 1_000) + 86_400) } };
  return {
    pk: { S: pk },
    schemaVersion: { N: '1' },
    provider: { S: 'github' },
    eventType: { S: 'push' },
    gen: { N: '1' },
    run: { N: '1' },
    ingestId: { S: 'c9ca2e22-5d83-413f-a1d3-45cd55ae820e' },
    bodySha: { S: 'ab'.repeat(32) },
    size: { N: '5000' },
    receivedAt: at,
    updatedAt: at,
    enqueuedAt: at,
    attempts: { N: '1' },
    resends: { N: '0' },
    timelineHour: { S: `${source}#2026-11-22T03` },
    timelineAt: { S: `${now - HOUR_MS}#${key}` },
    ...rest,
  };
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
