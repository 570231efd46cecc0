/**
 * Calls to AWS services that speak JSON, in place of the SDK's clients in the bundles of `ingest` and `process` (ADR 0005):
 * the same settings, limits, retries and errors, at a fraction of the code. adapters/aws/signed/sdk-*.ts give it the SDK's
 * names.
 */
import type { clientSettings } from '../client-settings.ts';
import { noteServiceDate } from '../clock-difference.ts';
import { resolveEndpointOf } from '../region-endpoint.ts';
import type { Answer } from './answer-reader.ts';
import { checkBytes, checkShape } from './check-answer.ts';
import { type Connections, keepConnections } from './connections.ts';
import { type Credentials, signPost } from './sign.ts';

type Settings = ReturnType<typeof clientSettings>;

export interface Service {
  /** Name in addresses and in signatures. */
  readonly name: string;
  /** Before the operation in `x-amz-target`. */
  readonly target: string;
  readonly jsonVersion: '1.0' | '1.1';
  /** Errors that callers tell by their class, by name. */
  readonly errors: Readonly<Record<string, typeof ServiceError>>;
}

/** A service's refusal, or an answer nobody understands; fields as the SDK's errors have them. */
export class ServiceError extends Error {
  readonly $fault: 'client' | 'server';
  readonly $metadata: { readonly attempts: number; readonly httpStatusCode: number };

  /** `fields`: what the service says beside the message, such as the item that made a condition fail. */
  constructor(name: string, message: string, attempts: number, status: number, fields: object = {}) {
    super(message);
    Object.assign(this, fields);
    this.name = name;
    this.$fault = status < 500 ? 'client' : 'server';
    this.$metadata = { attempts, httpStatusCode: status };
  }
}

export interface Command {
  readonly operation: string;
  readonly input: object;
}

/** The class of one operation's commands. */
export function command(operation: string) {
  return class {
    readonly operation = operation;
    readonly input: object;
    constructor(input: object) {
      this.input = input;
    }
  };
}

/** As the SDK's standard mode: at most two tries, the second after up to this long. */
const BACKOFF_MS = 100;
/** The SDK's own list of throttles and timeouts; a test compares them. */
const RETRYABLE = new Set([
  'BandwidthLimitExceeded',
  'EC2ThrottledException',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'RequestTimeout',
  'RequestTimeoutException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionInProgressException',
]);

const PRINTABLE = /^[\x20-\x7e]*$/;

export class SignedClient {
  readonly #service: Service;
  readonly #settings: Settings;
  readonly #host: string;
  readonly #connections: Connections;

  constructor(service: Service, settings: Settings) {
    this.#service = service;
    this.#settings = settings;
    const question = { Endpoint: settings.endpoint, Region: settings.region };
    const endpoint = resolveEndpointOf(service.name)(question).url;
    this.#host = endpoint.host;
    this.#connections = keepConnections(endpoint, settings.requestHandler);
  }

  /** Throws ServiceError for a refusal, and what `Connections` throws for a connection that fails or a signal that aborts. */
  async send(
    { operation, input }: Command,
    { abortSignal }: { readonly abortSignal?: AbortSignal } = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    const body = JSON.stringify(holdsBytes(input) ? withoutBytes(input) : input);
    for (let attempts = 1; ; attempts += 1) {
      try {
        const answer = await this.#post(operation, body, abortSignal);
        noteServiceDate(String(answer.headers['date']));
        if (answer.status === 200) return readAnswer(operation, input, answer);
        throw this.#errorOf(answer, attempts);
      } catch (error) {
        const retryable = !(error instanceof ServiceError) || error.$fault === 'server' || RETRYABLE.has(error.name);
        if (!retryable || attempts >= this.#settings.maxAttempts) throw withAttempts(error, attempts);
        await new Promise(resolve => setTimeout(resolve, Math.random() * BACKOFF_MS));
      }
    }
  }

  /** Nothing to close that would keep a function alive. */
  destroy(): void {
    this.#connections.destroy();
  }

  async #post(operation: string, body: string, signal: AbortSignal | undefined): Promise<Answer> {
    const { name: service, target, jsonVersion } = this.#service;
    const { credentials, region } = this.#settings;
    const known: Credentials = await credentials();
    const signed = {
      'content-type': `application/x-amz-json-${jsonVersion}`,
      host: this.#host,
      'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
      'x-amz-target': `${target}.${operation}`,
      ...(known.sessionToken === undefined ? {} : { 'x-amz-security-token': known.sessionToken }),
    };
    const authorization = signPost(signed, body, known, { region, service });
    const length = Buffer.byteLength(body);
    const headers = { ...signed, authorization, 'content-length': length, 'user-agent': 'holdfast' };
    return this.#connections.exchange(requestOf(headers, body), length === body.length, signal);
  }

  #errorOf({ status, bytes }: Answer, attempts: number): ServiceError {
    const fields = parseObject(bytes.toString('utf8'));
    const type = fields && String(fields['__type'] ?? '');
    // An answer that is not the service's own (a proxy's page) says nothing about what was applied.
    if (!fields || !type) return new ServiceError('UnknownError', `status ${status}`, attempts, Math.max(status, 500));
    const name = type.slice(type.indexOf('#') + 1);
    const message = String(fields['message'] ?? fields['Message'] ?? '');
    const { Item, CancellationReasons } = fields;
    const Kind = this.#service.errors[name] ?? ServiceError;
    return new Kind(name, message, attempts, status, { Item, CancellationReasons });
  }
}

function requestOf(headers: Readonly<Record<string, string | number>>, body: string): string {
  let head = 'POST / HTTP/1.1\r\n';
  for (const name in headers) {
    const value = String(headers[name]);
    // A line break in a credential would begin a header of its own.
    if (!PRINTABLE.test(value)) throw new TypeError(`${name} holds a character that no header may hold`);
    head += `${name}: ${value}\r\n`;
  }
  return `${head}\r\n${body}`;
}

function readAnswer(operation: string, input: object, answer: Answer): Readonly<Record<string, unknown>> {
  checkBytes(operation, answer);
  const value = parse(answer.bytes.toString('utf8') || '{}');
  checkShape(operation, input, value);
  return value;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function withAttempts(error: unknown, attempts: number): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error;
  return Object.assign(error, { $metadata: { attempts } });
}

function holdsBytes(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof Uint8Array || Object.values(value).some(holdsBytes);
}

/** Bytes go as base64. */
function withoutBytes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  }
  if (Array.isArray(value)) return value.map(withoutBytes);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutBytes(each)]));
}

/** Most answers hold no bytes, and are parsed without looking at each value. */
function parse(text: string): unknown {
  return text.includes('"B"') || text.includes('"BS"') ? JSON.parse(text, decodeBytes) : JSON.parse(text);
}

/** `B` with a text is a binary attribute, `BS` with a list a set of them; a map's own attribute of that name holds an object. */
function decodeBytes(key: string, value: unknown): unknown {
  if (key === 'B' && typeof value === 'string') return toBytes(value);
  if (key === 'BS' && Array.isArray(value)) return value.map(toBytes);
  return value;
}

/** No Buffer: callers get what the SDK would give them. */
function toBytes(base64: string): Uint8Array {
  const { buffer, byteOffset, length } = Buffer.from(base64, 'base64');
  return new Uint8Array(buffer, byteOffset, length);
}
