/** `outbound` of an environment: webhooks to your customers. Absent: nothing of it is deployed. */

import { mailAddress, signatureHeader } from '#core/outbound/api/fields.ts';
import {
  BREAKERS,
  DISABLES,
  type DisableAt,
  type OpensAt,
  SCHEDULES,
  type ScheduleName,
} from '#core/outbound/drain/schedule.ts';
import { KEY_ID_PLACES, SIGNATURE_PROFILES, type SignatureProfile } from '#core/outbound/protocol/items.ts';
import { boolean, type Check, listOf, number, object, oneOf, show, text } from '#core/problem.ts';
import { VERSION } from '#core/version.ts';
import { GONE, objectWithout } from './gone-keys.ts';
import { type PortalConfig, portalShape, type ResolvedPortal, resolvePortal } from './portal-config.ts';
import { type Throttle, throttleOf, throttleShape } from './throttle.ts';

/** What a person writes; `{}` takes every default. */
export interface OutboundConfig {
  /**
   * Parallel runs of the sending function; a third more for slow endpoints. @when you have many endpoints @default 150;
   * 4 in `local`
   */
  readonly slots?: number;
  /** Waits after failed attempts (docs/send/retries.md). @when you promised another @default 'standard' */
  readonly schedule?: ScheduleName | readonly number[];
  /**
   * Of a request, name lookup and answer included; an endpoint may have its own. @when endpoints answer more slowly
   * @default 15
   */
  readonly timeoutSeconds?: number;
  /** Of the delivery API, as a source's. @when you publish more @default 1,000 */
  readonly throttle?: number;
  /** Of endpoints. @when customers listen on another port @default 443 */
  readonly ports?: readonly number[];
  /**
   * Types outside the catalogue are taken, taken and reported, or refused. @when only declared types may be sent
   * @default 'any'
   */
  readonly eventTypes?: 'any' | 'reported' | 'declared';
  /**
   * `all`: also keep successful attempts with their answers, for one to two write units each. @when support must see
   * successes @default 'failures'
   */
  readonly attemptLog?: 'failures' | 'all';
  /** Without a success for so long, an endpoint is disabled. @when you promised another @default 5 */
  readonly autoDisableDays?: number | false;
  /**
   * Longest wait before a trial request to a failing endpoint: 30 seconds, doubled each time. @when repaired endpoints
   * must wait less @default 900
   */
  readonly longestHoldSeconds?: number;
  /**
   * When an endpoint is put on hold: `{ failures, ofLast, openMinutes }`, or a name out of docs/send/retries.md.
   * `longestHoldSeconds` bounds `openMinutes`. @when you promised another @default 5 failures in a row, or half of 20
   */
  readonly breaker?: keyof typeof BREAKERS | BreakerNumbers;
  /**
   * A share of failed messages disables an endpoint, an hour after its owner was told: `{ failureRate, attempts, hours
   * }` or `nineteen-of-twenty`. @when you promised it @default none
   */
  readonly disable?: keyof typeof DISABLES | DisableAt;
  /** How long messages and deliveries are kept. @when it differs from events @default the environment's */
  readonly retentionDays?: number;
  /**
   * Of new endpoints that do not choose one (docs/send/signatures.md). @when customers verify another form @default
   * 'standard'
   */
  readonly signature?: SignatureProfile;
  /** Header of that signature, if its key is the secret's text. @when customers read another @default the form's own */
  readonly signatureHeader?: string;
  /**
   * Where a request names its secret; `signature` needs `timestamp-sha256`. @when customers choose secrets by id
   * @default header, and `signature` where there is room
   */
  readonly keyId?: (typeof KEY_ID_PLACES)[number];
  /** Begins the names of headers that only inform. @when headers carry your name @default x-webhook- */
  readonly headerPrefix?: string;
  /** What customers see as the caller. @when customers allow callers by name @default Holdfast and its version */
  readonly userAgent?: string;
  /** A page and an API for your customers (docs/send/portal.md). @when customers look for themselves @default none */
  readonly portal?: PortalConfig;
  /**
   * Customers name who is told when their endpoints fail (docs/send/contacts.md). Needs `portal`. @when customers must
   * know at once @default false
   */
  readonly contacts?: boolean;
  /**
   * Contacts may be mail addresses: `{ from, configurationSet }`, as SES has them (docs/send/contacts.md). Needs
   * `contacts`. @when customers want mails @default none
   */
  readonly email?: EmailConfig;
}
interface EmailConfig {
  readonly from: string;
  readonly configurationSet?: string;
}

/** Parallel runs: `fast` for healthy endpoints, `slow` for those that answer slowly or not at all. */
interface Slots {
  readonly fast: number;
  readonly slow: number;
}

/** Seconds before the first trial request to an endpoint on hold, and the longest. */
interface HoldWaits {
  readonly baseSeconds: number;
  readonly capSeconds: number;
}

/** Failures that open the breaker, of the last results; minutes until one request tries the endpoint. */
interface BreakerNumbers extends OpensAt {
  readonly openMinutes?: number;
}

type Filled = 'timeoutSeconds' | 'ports' | 'eventTypes' | 'attemptLog' | 'autoDisableDays' | 'retentionDays';

/** `outbound` with every default filled in. Without a form of signature: Standard Webhooks. */
export interface ResolvedOutbound
  extends Required<Pick<OutboundConfig, Filled | 'headerPrefix' | 'userAgent'>>,
    Pick<OutboundConfig, 'signature' | 'signatureHeader' | 'keyId' | 'email'> {
  readonly slots: Slots;
  /** Seconds. */
  readonly schedule: readonly number[];
  readonly auditMinutes: number;
  readonly hold: HoldWaits;
  /** Absent, as the one below it: the defaults of the protocol. */
  readonly breaker?: OpensAt;
  readonly disable?: DisableAt;
  /** Literal addresses that may be called, over http too: this machine, where AWS is emulated. */
  readonly allowAddresses: readonly string[];
  /** Absent: the default of all routes. */
  readonly throttle?: Throttle;
  /** Absent: there is no portal. */
  readonly portal?: ResolvedPortal;
  /** Absent: there are none. */
  readonly contacts?: true;
}

const DEFAULT_SLOTS = 150;
const LOCAL_SLOTS = 4;
/** SQS invokes a function by no fewer than two. */
const slotsOf = (fast: number): Slots => ({ fast, slow: Math.max(2, Math.round(fast / 3)) });
const DEFAULT_HOLD: HoldWaits = { baseSeconds: 30, capSeconds: 900 };
const LOCAL_HOLD: HoldWaits = { baseSeconds: 5, capSeconds: 60 };

const schedule: Check = (value, path, report) => {
  if (typeof value === 'string') return oneOf(...Object.keys(SCHEDULES))(value, path, report);
  const isList = Array.isArray(value) && value.length >= 1 && value.length <= 20;
  if (isList) return listOf(number(1, 86_400, 'seconds'))(value, path, report);
  report({
    path,
    given: show(value),
    allowed: `a list of 1 to 20 waits in seconds, or ${Object.keys(SCHEDULES).join(', ')}`,
    fix: "write 'standard' or leave it out",
  });
};

const autoDisableDays: Check = (value, path, report) => {
  if (value === false || (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 30)) return;
  report({ path, given: show(value), allowed: 'a whole number of days from 1 to 30, or false', fix: 'set it to 5' });
};

const breakerNumbers = object<BreakerNumbers>(
  { failures: number(1, 100, 'failures'), ofLast: number(1, 100, 'results'), openMinutes: number(1, 30, 'minutes') },
  ['failures', 'ofLast'],
);
const disableAt = object<DisableAt>(
  {
    failureRate: number(0.5, 1, 'of the messages', 'any'),
    attempts: number(10, 100_000, 'messages'),
    hours: number(1, 24, 'hours'),
  },
  ['failureRate', 'attempts', 'hours'],
);
/** A name, or the numbers themselves. */
const named =
  (names: object, numbers: Check): Check =>
  (value, path, report) =>
    (typeof value === 'string' ? oneOf(...Object.keys(names)) : numbers)(value, path, report);

const ports: Check = (value, path, report) => {
  if (Array.isArray(value) && value.length >= 1 && value.length <= 5)
    return listOf(number(1, 65_535, 'a port'))(value, path, report);
  report({ path, given: show(value), allowed: 'a list of 1 to 5 ports', fix: 'write [443] or leave it out' });
};

/** A hold, 20 % shorter at random, must be longer than the slack for clocks: a shorter one would hold nothing back. */
const holdWait = number(4, 1_800, 'seconds');

const slots = number(2, 900, 'invocations');

const keys: Check = objectWithout<OutboundConfig>(GONE.outbound, {
  slots: (value, path, report) =>
    slots(value, path, problem =>
      report(typeof value === 'object' ? { ...problem, fix: 'write `fast` alone: slow is a third of it' } : problem),
    ),
  schedule,
  timeoutSeconds: number(1, 30, 'seconds'),
  throttle: throttleShape,
  ports,
  eventTypes: oneOf('any', 'reported', 'declared'),
  attemptLog: oneOf('failures', 'all'),
  autoDisableDays,
  longestHoldSeconds: holdWait,
  breaker: named(BREAKERS, breakerNumbers),
  disable: named(DISABLES, disableAt),
  retentionDays: number(30, 365, 'days'),
  signature: oneOf(...SIGNATURE_PROFILES),
  signatureHeader: (value, path, report) => signatureHeader('x-webhook-')(value, path, report),
  keyId: oneOf(...KEY_ID_PLACES),
  headerPrefix: text(
    /^x-(?!amzn?-|forwarded-)[a-z0-9-]{0,30}-$/,
    'lower-case text such as "x-acme-", but no names that AWS uses (x-amz-, x-forwarded-)',
    'begin with x- and end with -',
  ),
  userAgent: text(/^[ -~]{1,200}$/, '1 to 200 printable ASCII characters', 'shorten it'),
  portal: portalShape,
  contacts: boolean,
  email: object<EmailConfig>(
    {
      from: mailAddress,
      configurationSet: text(/^[\w-]{1,64}$/, '1 to 64 letters, digits, _ and -', 'give the name that SES shows'),
    },
    ['from'],
  ),
});

/** The shape of `environments.<name>.outbound`. */
export const outboundShape: Check = (value, path, report) => {
  keys(value, path, report);
  const { contacts, portal: page, email } = (value ?? {}) as OutboundConfig;
  if (email !== undefined && contacts !== true)
    report({
      path: `${path}.email`,
      given: 'a sender',
      allowed: 'one beside outbound.contacts, who get the mails',
      fix: 'add contacts: true',
    });
  if (contacts === true && page === undefined)
    report({
      path: `${path}.contacts`,
      given: 'true',
      allowed: 'true beside outbound.portal, whose page confirms contacts',
      fix: "add portal: { name: 'Acme' }",
    });
};

/** Fills in the defaults. */
export function resolveOutbound(
  given: OutboundConfig,
  environment: { readonly emulated: boolean; readonly retentionDays: number },
): ResolvedOutbound {
  const { emulated, retentionDays } = environment;
  const waits = given.schedule ?? 'standard';
  const breaker: BreakerNumbers | undefined =
    typeof given.breaker === 'string' ? BREAKERS[given.breaker] : given.breaker;
  const disable = typeof given.disable === 'string' ? DISABLES[given.disable] : given.disable;
  const open = breaker?.openMinutes && breaker.openMinutes * 60;
  const first = emulated ? LOCAL_HOLD : DEFAULT_HOLD;
  const longest = given.longestHoldSeconds ?? open ?? first.capSeconds;
  return {
    slots: slotsOf(given.slots ?? (emulated ? LOCAL_SLOTS : DEFAULT_SLOTS)),
    schedule: typeof waits === 'string' ? SCHEDULES[waits] : waits,
    timeoutSeconds: given.timeoutSeconds ?? 15,
    ports: given.ports ?? [443],
    eventTypes: given.eventTypes ?? 'any',
    attemptLog: given.attemptLog ?? 'failures',
    auditMinutes: emulated ? 1 : 10,
    autoDisableDays: given.autoDisableDays ?? 5,
    hold: { baseSeconds: Math.min(open ?? first.baseSeconds, longest), capSeconds: longest },
    ...(breaker && { breaker: { failures: breaker.failures, ofLast: breaker.ofLast } }),
    ...(disable && { disable }),
    retentionDays: given.retentionDays ?? retentionDays,
    ...(given.signature === undefined ? {} : { signature: given.signature }),
    ...(given.signatureHeader === undefined ? {} : { signatureHeader: given.signatureHeader.toLowerCase() }),
    ...(given.keyId === undefined ? {} : { keyId: given.keyId }),
    headerPrefix: given.headerPrefix ?? 'x-webhook-',
    userAgent: given.userAgent ?? `Holdfast/${VERSION}`,
    allowAddresses: emulated ? ['127.0.0.1'] : [],
    ...(given.throttle === undefined ? {} : { throttle: throttleOf(given.throttle) }),
    ...(given.portal === undefined ? {} : { portal: resolvePortal(given.portal) }),
    ...(given.contacts ? { contacts: true as const } : {}),
    ...(given.email === undefined ? {} : { email: given.email }),
  };
}
