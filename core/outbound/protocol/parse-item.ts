/**
 * Stored attributes as an item of the sending half: the one place where they become one. Stores call it on whatever they
 * read and on what a write met, but not on pages of an index, which hold keys only.
 */
import { DependencyError } from '#core/errors.ts';
import type { RequiredKey } from '#core/given.ts';
import type { Item, OutboundTable } from '#core/outbound/ports.ts';
import type * as items from './items.ts';

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;
/** What an item of this type cannot be without: exactly the names that the type requires, or it does not compile. */
const needs =
  <T>() =>
  <Text extends string>(
    names: [Words<Text>, RequiredKey<T>] extends [RequiredKey<T>, Words<Text>] ? Text : RequiredKey<T>,
  ): readonly string[] =>
    String(names).split(' ');

const ENDPOINT = needs<items.EndpointItem>()(
  'id app url description types channels mode headers signature maxConcurrency timeoutMs ordered payload metadata subscribedAt version createdAt',
);
const COPY_NAME = needs<items.CopyNameItem>()('copy expiresAt');
const REPLAY_NOTE = needs<items.ReplayNoteItem>()('gen at expiresAt');
const ATTEMPT = needs<items.AttemptItem>()('kind at gen n class timings url requestHeaders expiresAt');
/** By table and the start of `pk`. Items of control have no form in common. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  'registry A': needs<items.ApplicationItem>()(
    'id name metadata limits format endpointVersion endpoints state createdAt',
  ),
  'registry U': needs<items.NameItem>()('id'),
  'registry S': needs<items.SecretsItem>()('keys version'),
  'registry R': needs<items.RuntimeItem>()('ep app gate gateSince crashes opens probes cap ewmaMs lane dead'),
  'registry T': needs<items.EventTypeItem>()('name description validate'),
  'registry J': needs<items.ReplayJobItem>()(
    'id app status dryRun ratePerSecond by asOf state counts createdAt updatedAt version expiresAt',
  ),
  'registry N': needs<items.NewAppItem>()('id expiresAt'),
  'outbox N': needs<items.RowNoteItem>()('expiresAt'),
  'outbox M': needs<items.MessageItem>()('id app type mode createdAt inputSha size expiresAt'),
  'outbox D': needs<items.RecordItem>()('gen status app expiresAt'),
  'outbox Q': needs<items.RowItem>()('msg createdAt gen n expiresAt'),
};

function needsOf(kind: string, sk: string): readonly string[] {
  if (kind === 'registry A' && sk.startsWith('E#')) return ENDPOINT;
  if (kind === 'outbox M' && sk.startsWith('C#')) return COPY_NAME;
  // Of a delivery: notes of its replays, and its attempts.
  if (kind === 'outbox T') return sk.startsWith('R#') ? REPLAY_NOTE : ATTEMPT;
  return KINDS[kind] ?? [];
}

/** Throws DependencyError for an item without an attribute that its kind needs: nothing is decided by half an item. */
export function parseItem<T>(table: OutboundTable, stored: Item): T {
  const [pk, sk] = [String(stored['pk']), String(stored['sk'])];
  const kind = `${table} ${pk.slice(0, pk.indexOf('#'))}`;
  const lacking = needsOf(kind, sk).filter(name => stored[name] === undefined);
  if (lacking.length === 0) return stored as T;
  const what = `the item ${pk} ${sk} has no ${lacking.join(', ')}`;
  throw new DependencyError('dynamodb', `${what}: a version that this one does not know wrote it; deploy that version`);
}

/** The same of an item that may not be there. */
export const parseFound = <T>(table: OutboundTable, stored: Item | undefined): T | undefined =>
  stored && parseItem<T>(table, stored);
