/** The whole of gateway.config.ts as a table of checks, then the rules that tie several values together. */

import {
  boolean,
  type Check,
  type ChecksOf,
  closest,
  listOf,
  number,
  object,
  oneOf,
  type Report,
  recordOf,
  show,
  text,
  wordOr,
} from '#core/problem.ts';
import { checkProviderShape } from '#core/provider/provider-shape.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { domainShape } from './domain-config.ts';
import { edgeShape } from './edge-config.ts';
import {
  type CanaryConfig,
  type EnvironmentConfig,
  type GatewayConfig,
  LOG_RETENTION_DAYS,
  type QueueSettings,
  type RetryConfig,
  type Severity,
  type SourceConfig,
} from './gateway-config.ts';
import { GONE, objectWithout, withoutGone } from './gone-keys.ts';
import { isCidr } from './is-cidr.ts';
import { otlpShape } from './otlp-config.ts';
import { outboundShape } from './outbound-config.ts';
import { reconcileShape } from './reconcile-config.ts';
import { routesShape } from './route-config.ts';
import { throttleShape } from './throttle.ts';

const retry = objectWithout<RetryConfig>(GONE.retry, {
  attempts: number(1, 100, 'attempts'),
  capSeconds: number(2, 7 * 24 * 3600, 'seconds', 'any'),
});

const minutes = number(5, 1440, 'minutes');
const words = oneOf('learned', 'off');
const silence: Check = (value, path, report) =>
  typeof value === 'number'
    ? minutes(value, path, report)
    : words(value, path, problem => report({ ...problem, allowed: `${problem.allowed}, or minutes from 5 to 1440` }));

const cidr: Check = (value, path, report) => {
  if (typeof value === 'string' && isCidr(value)) return;
  const fix = typeof value === 'string' && isCidr(`${value}/32`) ? `write "${value}/32"` : 'correct the range';
  report({ path, given: show(value), allowed: 'an address range such as "192.0.2.0/24" or "2001:db8::/32"', fix });
};

/** Never shown: a setting may be a token. */
const setting: Check = (value, path, report) => {
  if (typeof value === 'string' && value.length >= 1 && value.length <= 2048) return;
  report({ path, given: `a ${typeof value}`, allowed: 'text of 1 to 2,048 characters', fix: 'put it in quotes' });
};

function providerCheck(providers: Readonly<Record<string, ProviderSpec>>): Check {
  const anything: Check = () => undefined;
  const inline = object<ProviderSpec>(
    {
      id: anything,
      title: anything,
      docs: anything,
      checkedOn: anything,
      source: anything,
      unconfirmed: anything,
      strength: anything,
      verify: anything,
      identity: anything,
      ack: anything,
      handshakes: anything,
      types: anything,
      methods: anything,
      maxBodyBytes: anything,
      ips: anything,
      signatureHeaders: anything,
      keepHeaders: anything,
      settings: anything,
      retries: anything,
      setup: anything,
    },
    ['id'],
  );
  return (value, path, report) => {
    if (typeof value === 'object' && value !== null) {
      inline(value, path, report);
      if (!Array.isArray(value)) checkProviderShape(value, path, report);
    } else if (typeof value !== 'string' || !Object.hasOwn(providers, value)) {
      const ids = Object.keys(providers);
      const near = typeof value === 'string' ? closest(value, ids) : undefined;
      report({
        path,
        given: show(value),
        allowed:
          ids.length <= 12 ? ids.join(', ') : `one of the ${ids.length} ids in providers/, or a spec of your own`,
        fix: near ? `did you mean "${near}"?` : 'describe it in providers/ (docs/receive/add-a-provider.md)',
      });
    } else {
      checkProviderShape(providers[value], path, report);
    }
  };
}

const fieldName = text(
  /^[a-z][a-z0-9_]{0,29}$/,
  '1 to 30 lower-case letters, digits and underscores, a letter first, e.g. "order"',
  'rename the field',
);
const pointer = text(
  /^(?:\/(?:[^~/]|~[01])*){1,12}$/,
  'a place in the body that begins with a slash (JSON Pointer), e.g. "/data/object/metadata/order_id"',
  'write the names on the way to the value, each behind a slash',
);
const MOST_FIELDS = 5;

const searchableShape: Check = (value, path, report) => {
  recordOf(pointer)(value, path, report);
  const names = Object.keys(typeof value === 'object' && value !== null ? value : {});
  for (const name of names) fieldName(name, `${path}.${name.slice(0, 40)}`, report);
  if (names.length > MOST_FIELDS)
    report({
      path,
      given: `${names.length} fields`,
      allowed: `at most ${MOST_FIELDS}: each costs a write unit per event`,
      fix: 'keep the ones people search by every day; `holdfast events grep` finds the others',
    });
};

/** The keys of a source, each with its check. */
export function sourceFields(provider: Check): ChecksOf<SourceConfig> {
  return {
    provider,
    settings: recordOf(setting),
    unhandled: oneOf('ignore', 'dead_letter'),
    throttle: throttleShape,
    allowList: listOf(cidr),
    retry,
    dedupOnBody: boolean,
    quarantine: boolean,
    schemaDrift: oneOf('notice', 'off'),
    searchable: searchableShape,
    reconcile: reconcileShape,
    apiCredential: boolean,
    silence,
  };
}

const queue = objectWithout<QueueSettings>(GONE.queue, {
  // More than the three days after which a message that never became a record is copied away.
  retentionDays: number(4, 13, 'days'),
  batchSize: number(1, 10, 'messages'),
  maxConcurrency: number(2, 1_000, 'invocations'),
  batchingWindowSeconds: number(0, 10, 'seconds'),
});

/** Of a target of alarms: the last part of its secret's name. */
const targetName = text(
  /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
  '1 to 40 lower-case letters, digits and inner hyphens, e.g. "oncall": a name of yours; URL or key are a secret',
  'put URL or key into its secret (docs/operate/alarms.md) and a name here',
);
/** SNS refuses any other in the middle of a deploy. */
const MAIL_ADDRESS =
  /^(?=[^@]{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?=.{1,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]{0,61}[a-z\d]$/i;
const ALARM_TARGETS: Readonly<Record<string, Check>> = {
  email: object({
    email: text(MAIL_ADDRESS, 'an address alone, such as "oncall@example.com"', 'correct it'),
  }),
  https: object({ https: text(/^https:\/\/[^\s/]+(?:\/\S*)?$/, 'a URL that starts with https://', 'correct it') }),
  slack: object({ slack: targetName }),
  pagerDuty: object({ pagerDuty: targetName, region: oneOf('us', 'eu') }),
};

const alarmTarget: Check = (value, path, report) => {
  const kind = typeof value === 'object' && value !== null ? Object.keys(ALARM_TARGETS).find(it => it in value) : '';
  const check = ALARM_TARGETS[kind ?? ''];
  if (check) return check(value, path, report);
  const allowed = Object.keys(ALARM_TARGETS).map(each => `{ ${each}: '…' }`);
  report({ path, given: show(value), allowed: allowed.join(', '), fix: 'use one of them' });
};

/** Told of one alarm once: CDK refuses a second subscription of one address with words about constructs. */
const alarmTargets: Check = (value, path, report) => {
  listOf(alarmTarget)(value, path, report);
  const first = new Map<string, number>();
  for (const [at, target] of Array.isArray(value) ? value.entries() : []) {
    for (const kind of Object.keys(ALARM_TARGETS)) {
      const address = (target as Readonly<Record<string, unknown>> | null)?.[kind];
      if (typeof address !== 'string') continue;
      const known = first.get(`${kind} ${address}`);
      if (known === undefined) first.set(`${kind} ${address}`, at);
      else
        report({
          path: `${path}[${at}].${kind}`,
          given: `${show(address)}, as in ${path}[${known}]`,
          allowed: 'each target once in a severity',
          fix: 'remove one of them',
        });
    }
  }
};

/** By alarm id; which ids there are is checked where the alarms are made. */
const thresholds = withoutGone(
  GONE.thresholds,
  recordOf(number(0, 10_000_000, 'seconds, percent or events, as the alarm counts', 'any')),
);

const runs = number(1, 100_000, 'concurrent runs');

const sourceName = text(
  /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
  '1 to 40 lower-case letters, digits and inner hyphens, e.g. "stripe-eu"',
  'rename the source',
);
const environmentName = text(
  /^[a-z](?:[a-z0-9-]{0,14}[a-z0-9])?$/,
  '1 to 16 lower-case letters, digits and inner hyphens, e.g. "prod-eu"',
  'rename the environment',
);

/** AWS refuses any other in the middle of a deploy. By ours the roles are told which secrets they may touch. */
const tagName = text(
  /^(?!aws:|holdfast:)[\p{L}\p{Z}\p{N}_.:/=+@-]{1,128}$/iu,
  '1 to 128 letters, digits, blanks and _ . : / = + - @, not aws:… or holdfast:…',
  'rename the tag',
);

/** Without a hyphen, which ends it: no two gateways have a name in common, whatever their environments are called. */
const prefixShape = text(
  /^(?!aws|holdfast)[a-z][a-z0-9]{0,15}$/,
  '1 to 16 lower-case letters and digits, a letter first, e.g. "payments"; not aws… or holdfast…',
  'choose another, once and for all: names are made of it',
);

/** Reports every problem of the written configuration that can be seen in one value alone. */
export function validateConfig(
  config: GatewayConfig,
  providers: Readonly<Record<string, ProviderSpec>>,
  report: Report,
): void {
  const source = sourceFields(providerCheck(providers));
  const environment = objectWithout<EnvironmentConfig>(GONE.environment, {
    account: text(/^\d{12}$/, 'twelve digits in quotes', 'copy it from the AWS console'),
    region: text(/^[a-z]{2,4}(?:-[a-z]+){1,2}-\d$/, 'a region such as "eu-central-1"', 'correct it'),
    publicUrl: text(
      /^https?:\/\/[^\s/?#]+$/,
      'an origin such as "https://hooks.example.com", without path or final slash',
      'remove what follows the host',
    ),
    domain: domainShape,
    sources: recordOf(objectWithout<SourceConfig>(GONE.source, source)),
    routes: routesShape,
    outbound: outboundShape,
    otlp: otlpShape,
    edge: edgeShape,
    disposable: boolean,
    probe: boolean,
    retentionDays: number(30, 365, 'days'),
    deadRetentionDays: number(30, 365, 'days'),
    // Twice what is kept to record outcomes, and a second.
    handlerTimeoutSeconds: number(5, 900, 'seconds'),
    retry,
    queue,
    alarmTargets: wordOr(
      'nobody',
      object<Record<Severity, unknown>>({
        page: alarmTargets,
        ticket: alarmTargets,
        notice: alarmTargets,
      }),
    ),
    alarms: oneOf('all', 'essential', 'none'),
    thresholds,
    logLevel: oneOf('debug', 'info', 'warn', 'error'),
    logArrivals: boolean,
    logRetentionDays: oneOf(...LOG_RETENTION_DAYS),
    ingestProvisionedConcurrency: number(0, 1_000, 'environments'),
    reservedConcurrency: object({ ingest: runs, process: runs, api: runs }),
    encryptionKey: text(
      /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/,
      'the ARN of a KMS key, "arn:aws:kms:<region>:<account>:key/<id>"; no alias',
      'copy it from the KMS console',
    ),
    warmWriteUnits: number(4_000, 40_000, 'write units per second'),
    ipv6: boolean,
    // A metric of Lambda and its alarm take minutes.
    canary: object<CanaryConfig>(
      { percent: number(1, 99, 'percent of the calls'), minutes: number(5, 60, 'minutes') },
      ['percent', 'minutes'],
    ),
    permissionsBoundary: text(
      /^arn:aws[a-z-]*:iam::(?:\d{12}|aws):policy\/[\w+=,.@/-]+$/,
      'the ARN of an IAM policy, "arn:aws:iam::<account>:policy/<name>"',
      'copy it from the IAM console',
    ),
    tags: recordOf(
      text(
        /^[\p{L}\p{Z}\p{N}_.:/=+@-]{0,256}$/u,
        'up to 256 letters, digits, blanks and _ . : / = + - @',
        'write it with these',
      ),
      tagName,
    ),
  });
  object<GatewayConfig>(
    {
      sources: recordOf(objectWithout<SourceConfig>(GONE.source, source, ['provider']), sourceName),
      environments: recordOf(environment, environmentName),
      prefix: prefixShape,
    },
    ['sources', 'environments'],
  )(config, '', report);
}
