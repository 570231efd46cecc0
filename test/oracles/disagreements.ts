/** Every known disagreement and its reason. The job fails for one that is missing here, and for one that is gone. */
import type { Oracle } from './oracle.ts';

/**
 * `stricter`: we refuse what the SDK accepts. `theirs`: the SDK refuses what is genuine. `wider`: we accept another writing
 * of the same signature, or a longer wait, on purpose.
 */
export type DisagreementKind = 'stricter' | 'theirs' | 'wider';

export interface Explanation {
  readonly kind: DisagreementKind;
  readonly why: string;
}

interface Entry extends Explanation {
  /** Name of the case. */
  readonly name: string;
  /** `provider` or `provider/scheme`. */
  readonly of: readonly string[];
}

const TEXT_ONLY = 'It works on text: other bytes are replaced before they are signed, so the signature never matches';
const AHEAD = 'It looks only at the past: a request signed for tomorrow can be sent again until then';
const LOOSE_TIME = 'It signs the number that it read, not the text that came: several texts stand for one time';
const COMPARES_TEXTS = 'It compares texts; we compare the decoded bytes';

const ENTRIES: readonly Entry[] = [
  // stricter
  {
    kind: 'stricter',
    name: 'one day ahead',
    of: ['stripe', 'slack', 'paddle', 'contentful', 'hubspot/hubspot-v3'],
    why: AHEAD,
  },
  {
    kind: 'stricter',
    name: 'one day ahead',
    of: ['sanity', 'discord-interactions', 'sendgrid'],
    why: 'It leaves the time to its caller: unchecked, a captured request can be sent again forever',
  },
  {
    kind: 'stricter',
    name: 'one day ahead',
    of: ['pubsub', 'monday'],
    why: 'It checks exp, not iat: a token issued tomorrow means a wrong clock, or a key out of place',
  },
  {
    kind: 'stricter',
    name: 'one day old',
    of: ['sanity', 'discord-interactions'],
    why: 'It leaves the time to its caller: unchecked, a captured request can be sent again forever',
  },
  {
    kind: 'stricter',
    name: 'time with letters behind it',
    of: ['stripe', 'standard-webhooks', 'svix', 'paddle', 'contentful'],
    why: LOOSE_TIME,
  },
  {
    kind: 'stricter',
    name: 'time with a plus before it',
    of: ['stripe', 'slack', 'standard-webhooks', 'svix', 'paddle', 'contentful', 'hubspot/hubspot-v3'],
    why: LOOSE_TIME,
  },
  {
    kind: 'stricter',
    name: 'time with letters behind it, signed so',
    of: ['openai'],
    why: 'It reads the number before the letters: the sender signed a time that is none',
  },
  {
    kind: 'stricter',
    name: 'time with a fraction, signed so',
    of: ['slack', 'openai', 'hubspot/hubspot-v3'],
    why: 'The provider sends whole numbers: another grammar means another sender, or digits that moved',
  },
  {
    kind: 'stricter',
    name: 'a digit moved from time to body',
    of: ['discord-interactions', 'sendgrid'],
    why: 'Nothing stands between time and body in the signed bytes: we refuse a body that begins with a digit',
  },
  {
    kind: 'stricter',
    name: 'signature header twice, good and bad',
    of: ['adyen-platforms', 'sendgrid'],
    why: 'Its decoder stops at the first strange character and drops the rest',
  },
  {
    kind: 'stricter',
    name: 'signature header twice, good and bad',
    of: ['standard-webhooks', 'svix', 'openai'],
    why: 'Two headers look like one list: two different ones may be an attempt to smuggle one',
  },
  {
    kind: 'stricter',
    name: 'a topic of another account',
    of: ['sns'],
    why: 'SNS signs for every AWS account with one certificate: without a list of topics anyone can have a message signed',
  },
  // theirs
  {
    kind: 'theirs',
    name: 'body that is not UTF-8',
    of: [
      'github',
      'razorpay',
      'coinbase-commerce',
      'shopify',
      'adyen-platforms',
      'stripe',
      'slack',
      'standard-webhooks',
      'svix',
      'openai',
      'paddle',
      'sanity',
      'contentful',
      'square',
      'twilio/twilio-json',
      'hubspot/hubspot-v3',
      'hubspot-legacy/hubspot-v2',
      'hubspot-legacy/hubspot-v1',
      'sendgrid',
    ],
    why: TEXT_ONLY,
  },
  {
    kind: 'theirs',
    name: 'body that starts with a BOM',
    of: ['stripe', 'standard-webhooks'],
    why: 'The mark is dropped, or trips its JSON parser after a good signature',
  },
  {
    kind: 'theirs',
    name: 'body that is not JSON',
    of: ['stripe', 'standard-webhooks'],
    why: 'It parses after verifying and throws: a signed form is taken for a forgery',
  },
  {
    kind: 'theirs',
    name: 'body that is empty',
    of: ['github', 'shopify', 'stripe', 'sanity'],
    why: 'It takes an empty body for a missing one',
  },
  {
    kind: 'theirs',
    name: 'two signatures, the good one first',
    of: ['paddle'],
    why: 'It keeps only the last h1: requests fail during a rotation',
  },
  {
    kind: 'theirs',
    name: 'two signatures under our key, the good one last',
    of: ['braintree'],
    why: 'It looks at the first signature under its key only',
  },
  // wider
  {
    kind: 'wider',
    name: 'half a minute old',
    of: ['paddle'],
    why: 'It allows five seconds, less than a slow network takes; we allow five minutes',
  },
  {
    kind: 'wider',
    name: 'signature header twice, with one value',
    of: [
      'github',
      'razorpay',
      'coinbase-commerce',
      'notion',
      'linear',
      'shopify',
      'slack',
      'sanity',
      'contentful',
      'square',
      'twilio/twilio-form',
      'twilio/twilio-json',
      'hubspot/hubspot-v3',
      'hubspot-legacy/hubspot-v2',
      'hubspot-legacy/hubspot-v1',
      'discord-interactions',
      'plaid',
      'pubsub',
      'monday',
    ],
    why: 'Proxies repeat headers, and servers join them with a comma: equal copies say nothing new',
  },
  {
    kind: 'wider',
    name: 'signature in capitals',
    of: [
      'github',
      'razorpay',
      'coinbase-commerce',
      'linear',
      'stripe',
      'slack',
      'paddle',
      'contentful',
      'hubspot-legacy/hubspot-v2',
      'hubspot-legacy/hubspot-v1',
      'braintree',
    ],
    why: COMPARES_TEXTS,
  },
  {
    kind: 'wider',
    name: 'signature prefix in capitals',
    of: ['github', 'notion', 'slack', 'monday'],
    why: 'The prefix is a label, not a part of the signature',
  },
  {
    kind: 'wider',
    name: 'signature without its padding',
    of: [
      'shopify',
      'standard-webhooks',
      'svix',
      'square',
      'twilio/twilio-form',
      'twilio/twilio-json',
      'hubspot/hubspot-v3',
    ],
    why: COMPARES_TEXTS,
  },
  {
    kind: 'wider',
    name: 'white space after each separator',
    of: ['stripe', 'paddle', 'sanity'],
    why: 'It does not trim names; a space after a comma means nothing (RFC 9110)',
  },
  {
    kind: 'wider',
    name: 'two signatures, the good one first',
    of: ['sanity'],
    why: 'Its format has room for a list, but Sanity sends one signature so far',
  },
  {
    kind: 'wider',
    name: 'two signatures, the good one last',
    of: ['sanity'],
    why: 'Its format has room for a list, but Sanity sends one signature so far',
  },
];

const seen = new Set<string>();

const idOf = ({ provider, scheme }: Oracle): string => (scheme === undefined ? provider : `${provider}/${scheme}`);

export function explain(oracle: Oracle, name: string, sdkAccepts: boolean): Explanation | undefined {
  const found = ENTRIES.find(
    entry => entry.name === name && entry.of.includes(idOf(oracle)) && sdkAccepts === (entry.kind === 'stricter'),
  );
  if (found) seen.add(`${idOf(oracle)}: ${name}`);
  return found;
}

/** Explanations whose disagreement did not occur: the SDK or we have changed. */
export function unusedExplanations(): readonly string[] {
  return ENTRIES.flatMap(entry => entry.of.map(of => `${of}: ${entry.name}`))
    .filter(key => !seen.has(key))
    .map(key => `${key} is explained in disagreements.ts, but both sides agree`);
}
