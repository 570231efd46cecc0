/**
 * Makes the SDK's client judge whether an answer is whole (check-answer.ts): to the SDK an empty or cut 200 is an object
 * without members, which of a read means "there is no such item". It is tried again like a failed connection.
 */
import type { Readable } from 'node:stream';
import { checkBytes, checkRefusal, checkShape } from './check-answer.ts';
import { noteServiceDate } from './clock-difference.ts';

interface Response {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
interface Handled {
  readonly response?: Response;
  readonly output?: unknown;
}
type Next = (args: { readonly input: object }) => Promise<Handled>;
type Middleware = (next: Next, context: { readonly commandName?: string }) => Next;

/** What the clients of the SDK have in common here. */
interface SdkClient {
  readonly middlewareStack: {
    add(
      middleware: Middleware,
      options: { step: 'deserialize'; priority: 'low' | 'high'; name: string; override: boolean },
    ): void;
  };
}

/** For services that answer JSON. Around the parser: its bytes before, its shape afterwards. */
export function checkAnswers<Client extends object>(client: Client): Client {
  const { middlewareStack } = client as SdkClient;
  middlewareStack.add(judgeBytes, { step: 'deserialize', priority: 'low', name: 'judgeBytes', override: true });
  middlewareStack.add(judgeShape, { step: 'deserialize', priority: 'high', name: 'judgeShape', override: true });
  return client;
}

const judgeBytes: Middleware = (next, context) => async args => {
  const handled = await next(args);
  const { response } = handled;
  if (response === undefined) return handled;
  noteServiceDate(response.headers?.['date']);
  const { statusCode = 0 } = response;
  if (statusCode >= 500) return handled;
  return unclear(async () => {
    const bytes = await collect(response.body);
    if (statusCode !== 200) {
      checkRefusal(statusCode, bytes);
      return { ...handled, response: Object.assign(response, { body: new Uint8Array(bytes) }) };
    }
    checkBytes(operationOf(context), { headers: response.headers ?? {}, bytes });
    // The SDK's parser makes an object without members of whatever else is JSON.
    if (bytes.length > 0 && !bytes.toString('latin1', 0, 64).trimStart().startsWith('{'))
      throw new Error('an answer that is no object');
    return { ...handled, response: Object.assign(response, { body: new Uint8Array(bytes) }) };
  });
};

const judgeShape: Middleware = (next, context) => async args => {
  const handled = await next(args).catch((error: unknown) =>
    // What is cut in its middle is no JSON.
    unclear(() => Promise.reject(error), error instanceof SyntaxError),
  );
  return unclear(async () => {
    checkShape(operationOf(context), args.input, handled.output);
    return handled;
  });
};

/** An answer that is none says nothing about what was applied: the SDK tries again, as after a lost connection. */
async function unclear<T>(work: () => Promise<T>, isUnclear = true): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUnclear) throw error;
    throw Object.assign(error as Error, { name: 'UnclearAnswer', $retryable: {} });
  }
}

function operationOf({ commandName = '' }: { readonly commandName?: string }): string {
  return commandName.replace(/Command$/, '');
}

/** All bytes of an answer. By its events: to iterate over it takes four times the CPU. */
function collect(body: unknown): Promise<Buffer> | Buffer {
  if (body === undefined || body === null) return Buffer.alloc(0);
  if (body instanceof Uint8Array) return Buffer.from(body);
  const stream = body as Readable;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    // After `end` it comes too late to say anything.
    const cut = (): void => reject(stream.errored ?? new Error('an answer that ends in its middle'));
    if (stream.destroyed || stream.readableEnded) return cut();
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('close', cut);
    stream.on('end', () => resolve(Buffer.concat(chunks)));
  });
}
