import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { keptHeaders } from '#core/inbound/protocol/kept-headers.ts';
import { schemeId } from '#core/provider/spec-defaults.ts';
import { utf8 } from '#core/scan/bytes.ts';
import { type Identification, identifyRequest } from '#core/verification/identify-request.ts';
import type { Verified } from '#core/verification/verdict.ts';
import { providerById } from '#providers/index.ts';

interface Delivery {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const zoom = (participant: object): Delivery => ({
  body: {
    event: 'meeting.participant_left',
    event_ts: 1_790_000_000_123,
    payload: { object: { uuid: 'm==', participant } },
  },
});
const asana = (added_value: object): Delivery => ({
  body: {
    events: [
      {
        user: { gid: '1' },
        resource: { gid: '2', resource_type: 'task' },
        parent: null,
        action: 'changed',
        created_at: '2026-11-21T03:00:00.123Z',
        change: { field: 'followers', action: 'added', added_value },
      },
    ],
  },
});
const figma = (changed: object): Delivery => ({
  body: {
    webhook_id: '1',
    event_type: 'LIBRARY_PUBLISH',
    timestamp: '2026-11-21T03:00:00Z',
    file_key: 'f',
    ...changed,
  },
});
const mention = (for_user_id: string): Delivery => ({ body: { for_user_id, tweet_create_events: [{ id_str: '7' }] } });
const instagram = (message: object, id = '5'): Delivery => ({
  body: { object: 'instagram', entry: [{ id, time: 1_790_000_000_000, messaging: [{ message }] }] },
});
const woocommerce = (id: number): Delivery => ({
  headers: { 'x-wc-webhook-delivery-id': '5d41402abc', 'x-wc-webhook-source': 'https://shop.example.com/' },
  body: { id, status: 'completed' },
});
const gitlab = (iid: number): Delivery => ({
  headers: { 'x-gitlab-event-uuid': 'one-request', 'x-gitlab-webhook-uuid': 'one-webhook' },
  body: { object_kind: 'issue', object_attributes: { iid } },
});

/** Two deliveries of each that share all a key was once made of. The comment says where the provider says so. */
const PAIRS: Record<string, readonly [provider: string, Delivery, Delivery]> = {
  // Its delivery id is a hash of the webhook's id and the time in seconds: WC_Webhook::get_new_delivery_id.
  'two orders of one second': ['woocommerce', woocommerce(1), woocommerce(2)],
  // One UUID for each webhook within a request or job: Gitlab::WebHooks::RecursionDetection::UUID.
  'two issues changed at once, before Idempotency-Key': ['gitlab', gitlab(1), gitlab(2)],
  // One event for each type of asset: description of LIBRARY_PUBLISH in github.com/figma/rest-api-spec.
  'styles and components of one publication': [
    'figma',
    figma({ created_styles: [{ key: 's' }] }),
    figma({ created_components: [{ key: 'c' }] }),
  ],
  // Everybody leaves in the millisecond in which a meeting ends.
  'two participants who leave at once': ['zoom', zoom({ user_id: '16778240' }), zoom({ user_id: '16778241' })],
  'two guests without a user id': ['zoom', zoom({ participant_uuid: 'a' }), zoom({ participant_uuid: 'b' })],
  // developers.asana.com/reference/events: change.added_value.
  'two followers added at once': ['asana', asana({ gid: '8' }), asana({ gid: '9' })],
  // docs.x.com/x-api/account-activity: activities come for each user subscription, named by for_user_id.
  'a mention of one subscribed user by another': ['x', mention('1'), mention('2')],
  // developers.facebook.com/docs/messenger-platform/instagram/features/webhook: a deleted message keeps its mid.
  'a message and its deletion': ['meta', instagram({ mid: 'm' }), instagram({ mid: 'm', is_deleted: true })],
  'a message as its sender and its receiver see it': [
    'meta',
    instagram({ mid: 'm', is_echo: true }, '5'),
    instagram({ mid: 'm' }, '6'),
  ],
};

const contentful = (environment: string): Delivery => ({
  headers: {
    'x-contentful-topic': 'ContentManagement.Entry.publish',
    'x-contentful-signature': 'not looked at here',
    'x-contentful-signed-headers': 'x-contentful-topic',
  },
  body: { sys: { id: 'home', version: 7, environment: { sys: { id: environment } } } },
});
// An environment is a copy of another, with the ids and versions of its entries.
PAIRS['an entry in two environments'] = ['contentful', contentful('master'), contentful('staging')];

const hubspot = (change: object): Delivery => ({
  body: [{ eventId: 7, subscriptionId: 1, portalId: 62515, occurredAt: 1_790_000_000_123, ...change }],
});
for (const provider of ['hubspot', 'hubspot-legacy']) {
  // developers.hubspot.com/changelog/bugfix-webhook-associationchanges: one event for each side of an association.
  PAIRS[`both sides of an association (${provider})`] = [
    provider,
    hubspot({ fromObjectId: 1, toObjectId: 2, associationType: 'CONTACT_TO_CONTACT' }),
    hubspot({ fromObjectId: 2, toObjectId: 1, associationType: 'CONTACT_TO_CONTACT' }),
  ];
  // An app has one subscription for all the accounts that installed it.
  PAIRS[`events of two accounts (${provider})`] = [
    provider,
    hubspot({ objectId: 5 }),
    hubspot({ objectId: 5, portalId: 62516 }),
  ];
}

function identify(provider: string, { headers = {}, body }: Delivery): Identification {
  const spec = providerById(provider);
  const [first] = spec.verify;
  const scheme = first ? schemeId(first, spec) : '';
  const verdict: Verified = { kind: 'verified', scheme, strength: 'signed', matchedSecret: 'current' };
  const request = { headers, body: utf8(JSON.stringify(body)) };
  const options = { crypto: nodeCrypto, settings: {}, dedupOnBody: false, verdict };
  return identifyRequest(spec, request, options);
}

function keyOf(provider: string, delivery: Delivery): string | undefined {
  const identified = identify(provider, delivery);
  if (identified.kind === 'nothing') throw new Error('expected an event');
  return identified.kind === 'batch' ? identified.items[0]?.key : identified.key;
}

describe('regression: different events of a provider were taken for repetitions of one', () => {
  it.each(Object.keys(PAIRS))('%s', name => {
    const [provider, one, other] = PAIRS[name] ?? ['', { body: '' }, { body: '' }];
    expect(keyOf(provider, one)).not.toBe(keyOf(provider, other));
    expect(keyOf(provider, one)).toBeDefined();
    expect(keyOf(provider, structuredClone(one))).toBe(keyOf(provider, one));
  });
});

describe('regression: old things that changed now were skipped as old events', () => {
  const CHANGED: Readonly<Record<string, Delivery & { readonly at: number }>> = {
    meta: {
      body: {
        object: 'page',
        entry: [
          {
            time: 1_790_000_000,
            changes: [{ field: 'feed', value: { verb: 'edited', created_time: 1_600_000_000 } }],
          },
        ],
      },
      at: 1_790_000_000_000,
    },
    // A deleted document comes as it was when it was last changed.
    sanity: {
      headers: { 'sanity-operation': 'delete', 'sanity-webhook-signature': 't=1790000000123,v1=not-looked-at' },
      body: { _id: 'a', _updatedAt: '2020-09-13T12:26:40Z' },
      at: 1_790_000_000_123,
    },
    contentful: {
      headers: { ...contentful('master').headers, 'x-contentful-timestamp': '1790000000123' },
      body: { sys: { id: 'a', updatedAt: '2020-09-13T12:26:40Z' } },
      at: 1_790_000_000_123,
    },
  };

  it.each(Object.keys(CHANGED))('%s', name => {
    const delivery = CHANGED[name] ?? { body: '', at: 0 };
    const identified = identify(name, delivery);
    const event = identified.kind === 'batch' ? identified.items[0] : identified;
    expect(event).toMatchObject({ eventAtMs: delivery.at });
  });
});

it('a header that is part of an id only where it is sent is kept with the event, too', () => {
  const spec = { ...providerById('github'), keepHeaders: [] };
  const identity = { ...spec.identity, key: [['header:x-github-delivery', 'header:x-tenant?'] as const] };
  expect(keptHeaders({ ...spec, identity }, { 'x-tenant': 'a', 'x-other': 'b' })).toEqual({ 'x-tenant': 'a' });
});
