/** The whole product in memory with one source of any provider, and its provider to sign requests. */
import { type KeyObject, sign as signWith } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { toSourceId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { type SignInput, signRequest } from '#core/verification/sign-request.ts';
import { providerById } from '#providers/index.ts';
import { EVENTS, MemoryWorld, PAYLOADS, type WorldOptions } from '../../kit/memory-world.ts';

export const SOURCE = toSourceId('default');
export const PUBLIC_URL = 'https://hooks.example.com/webhooks/default';

export interface ProviderWorldOptions extends WorldOptions {
  /** Stored text of the source's secret; undefined: none is stored. */
  readonly secret?: string | undefined;
  readonly settings?: Readonly<Record<string, string>>;
  readonly privateKey?: KeyObject;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly rawQuery?: string;
  readonly body?: Uint8Array | string;
  readonly sourceIp?: string;
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export class ProviderWorld {
  readonly world: MemoryWorld;
  readonly spec: ProviderSpec;
  readonly #options: ProviderWorldOptions;

  constructor(provider: string | ProviderSpec, options: ProviderWorldOptions = {}) {
    this.#options = options;
    this.spec = typeof provider === 'string' ? providerById(provider) : provider;
    const source = { spec: this.spec, publicUrl: PUBLIC_URL, settings: options.settings ?? {}, ...options.source };
    this.world = new MemoryWorld({ ...options, source });
    this.world.secretValues.set(SOURCE, options.secret ?? '');
  }

  /** The request as the provider would send it now, unless `change` says otherwise. */
  sign(body: string | Uint8Array, secret = '', change: Partial<SignInput> = {}): Sent {
    const { privateKey } = this.#options;
    const given = typeof body === 'string' ? Buffer.from(body) : body;
    const signed = signRequest(this.spec, {
      body: given,
      secret,
      nowMs: this.world.clock.now(),
      publicUrl: PUBLIC_URL,
      settings: this.#options.settings ?? {},
      headers: { 'content-type': 'application/json' },
      crypto: nodeCrypto,
      ...(privateKey ? { sign: message => signWith('sha256', message, privateKey) } : {}),
      ...change,
    });
    return { headers: signed.headers, rawQuery: signed.rawQuery ?? '', body: signed.body ?? given };
  }

  /** Sends a request through the ingest function; rejects when the function gives no answer. */
  async send(sent: Sent): Promise<Received> {
    const outcome = await this.world.ingest.invoke(apiEventOf(sent));
    if (outcome.kind !== 'returned' || outcome.payload === undefined) throw new Error(`no answer: ${outcome.kind}`);
    const { statusCode, headers, body } = JSON.parse(outcome.payload);
    return { status: statusCode, headers, body };
  }

  /** The same, driving the clock until it is answered. */
  post(sent: Sent): Promise<Received> {
    return this.world.clock.complete(this.send(sent));
  }

  /** Lets everything that was accepted be handled. */
  async settle(): Promise<void> {
    this.world.start();
    const settled = await this.world.settle();
    this.world.stop();
    if (!settled) throw new Error('not everything that was accepted reached a final state');
  }

  /** Records of events, without the batches they came in. */
  events(): EventItem[] {
    return this.world.items().filter(item => item.eventType !== `${this.spec.id}.batch`);
  }

  batches(): EventItem[] {
    return this.world.items().filter(item => item.eventType === `${this.spec.id}.batch`);
  }

  /** Everything that is stored of events, as text; to look for what must not be there. Refused requests are apart. */
  stored(): string {
    const payloads = this.world.database.dump(PAYLOADS).filter(item => !String(item['pk']).startsWith('_refused#'));
    return JSON.stringify([this.world.database.dump(EVENTS), payloads]);
  }

  refusals(cause: string): number {
    return this.world.telemetry.total('RequestRefused', { source: SOURCE, cause });
  }

  /** The stored text of the source's secret. */
  async storedSecret(): Promise<string | undefined> {
    return this.world.secretValues.fetch(SOURCE);
  }
}

function apiEventOf({
  method = 'POST',
  headers = {},
  rawQuery = '',
  body = '',
  sourceIp,
}: Sent): APIGatewayProxyEventV2 {
  const path = '/webhooks/default';
  const http = { method, path, protocol: 'HTTP/1.1', sourceIp: sourceIp ?? '198.51.100.7', userAgent: '' };
  return {
    version: '2.0',
    routeKey: `${method} ${path}`,
    rawPath: path,
    rawQueryString: rawQuery,
    headers: { ...headers },
    isBase64Encoded: true,
    body: Buffer.from(body).toString('base64'),
    requestContext: { http } as APIGatewayProxyEventV2['requestContext'],
  };
}
