/**
 * Targets as a person writes them: the ARN of something that takes events, or a URL. The ARN says what it is, so that
 * nothing else has to.
 */

/** Where routed events go, by the service that takes them; `outbound` are customers of yours. */
export type TargetKind = 'event_bus' | 'queue' | 'topic' | 'function' | 'state_machine' | 'http' | 'outbound';

export interface RouteTarget {
  readonly kind: TargetKind;
  /** The ARN, the URL of an `http` target, or `outbound:` and the `uid` of an application. */
  readonly address: string;
}

/** Events of one type (a final `*` matches any rest), sent to targets instead of to a handler. */
export interface Route {
  readonly type: string;
  readonly targets: readonly RouteTarget[];
}

/** An ARN taken apart. */
export interface Arn {
  readonly partition: string;
  readonly service: string;
  readonly region: string;
  readonly account: string;
  readonly resource: string;
}

const ARN = /^arn:(aws|aws-cn|aws-us-gov|aws-eusc):([a-z0-9-]+):([a-z]{2,4}(?:-[a-z]+)+-\d):(\d{12}):(\S+)$/;

interface ArnKind {
  readonly kind: TargetKind;
  readonly resource: RegExp;
  readonly example: string;
}

const KINDS: Readonly<Record<string, ArnKind>> = {
  events: { kind: 'event_bus', resource: /^event-bus\/[\w./-]{1,256}$/, example: 'event-bus/billing' },
  sqs: { kind: 'queue', resource: /^[\w-]{1,75}(?:\.fifo)?$/, example: 'invoices' },
  sns: { kind: 'topic', resource: /^[\w-]{1,251}(?:\.fifo)?$/, example: 'invoices' },
  lambda: {
    kind: 'function',
    resource: /^function:[\w-]{1,64}(?::(?:\$LATEST|[\w-]{1,128}))?$/,
    example: 'function:bill',
  },
  states: {
    kind: 'state_machine',
    resource: /^stateMachine:[\w.-]{1,80}(?::[\w.-]{1,128})?$/,
    example: 'stateMachine:bill',
  },
};

/** The parts of an ARN, or undefined when the text is not a whole one with region and account. */
export function parseArn(text: string): Arn | undefined {
  const [, partition = '', service = '', region = '', account = '', resource = ''] = ARN.exec(text) ?? [];
  return resource === '' ? undefined : { partition, service, region, account, resource };
}

/** What is wrong with a target, in the words of a configuration problem. */
export interface TargetProblem {
  readonly allowed: string;
  readonly fix: string;
}

/** The target a text names, or what is wrong with the text. */
export function parseTarget(text: string): { readonly target: RouteTarget } | { readonly problem: TargetProblem } {
  if (/^https?:/i.test(text)) return parseUrl(text);
  if (text.startsWith(OUTBOUND)) return parseOutbound(text);
  const known = Object.entries(KINDS)
    .map(([service, { example }]) => `arn:aws:${service}:<region>:<account>:${example}`)
    .join(', ');
  if (!text.startsWith('arn:')) {
    return {
      problem: {
        allowed: `an ARN or an https URL (or outbound:<uid of an application>): ${known}`,
        fix: 'copy the whole ARN from the AWS console',
      },
    };
  }
  const service = text.split(':')[2] ?? '';
  const kind = Object.hasOwn(KINDS, service) ? KINDS[service] : undefined;
  if (kind === undefined) {
    return {
      problem: {
        allowed: `an EventBridge bus, SQS queue, SNS topic, Lambda function or Step Functions state machine: ${known}`,
        fix: `route to one of these and let it pass the event on; nothing sends to "${service.slice(0, 40)}"`,
      },
    };
  }
  const arn = parseArn(text);
  if (!arn || !kind.resource.test(arn.resource)) {
    return {
      problem: {
        allowed: `arn:aws:${service}:<region>:<twelve-digit account>:${kind.example}`,
        fix: 'copy the whole ARN from the AWS console',
      },
    };
  }
  return { target: { kind: kind.kind, address: text } };
}

const OUTBOUND = 'outbound:';

function parseOutbound(text: string): ReturnType<typeof parseTarget> {
  if (/^[A-Za-z0-9_.-]{1,100}$/.test(applicationOf(text))) return { target: { kind: 'outbound', address: text } };
  const allowed = 'outbound: and the uid of an application, 1 to 100 letters, digits, _ . and -, e.g. outbound:acme';
  return { problem: { allowed, fix: 'give the uid that the application was made with (docs/api/delivery.md)' } };
}

/** Whether a source has a route to customers. */
export function toCustomers({ routes = [] }: { readonly routes?: readonly Route[] }): boolean {
  return routes.some(({ targets }) => targets.some(({ kind }) => kind === 'outbound'));
}

/** The `uid` in the address of an `outbound` target. */
export function applicationOf(address: string): string {
  return address.slice(OUTBOUND.length);
}

function parseUrl(text: string): ReturnType<typeof parseTarget> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username + url.password + url.hash !== '') {
    return {
      problem: {
        allowed: 'a URL such as https://billing.example.com/hooks, without user, password or #fragment',
        fix: 'correct it; a secret in a URL would end in logs',
      },
    };
  }
  if (url.protocol === 'http:' && !isLoopback(url)) {
    return {
      problem: { allowed: 'https (http only to 127.0.0.1, ::1 or localhost, in `local`)', fix: 'write https://' },
    };
  }
  return { target: { kind: 'http', address: text } };
}

/** True for an address that never leaves the machine. */
export function isLoopback(url: URL): boolean {
  return ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
}

/** A target in a few words for records and logs: its kind and name, or the host of its URL. */
export function nameOfTarget({ kind, address }: RouteTarget): string {
  if (kind === 'http') return `http ${new URL(address).host}`;
  if (kind === 'outbound') return `customer ${applicationOf(address)}`;
  const name = parseArn(address)?.resource.replace(/^(?:event-bus\/|function:|stateMachine:)/, '') ?? address;
  return `${kind} ${name.slice(0, 60)}`;
}
