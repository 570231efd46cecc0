import { End, endOfCalls } from '../lifetime.ts';

interface Options {
  readonly abortSignal?: unknown;
}
interface RequestHandler {
  handle(request: unknown, options?: Options): Promise<unknown>;
}
interface SdkClient {
  readonly config: { readonly requestHandler: RequestHandler };
}

/**
 * Makes every try of every call of an SDK client end with the work that made it (../lifetime.ts): its connection is closed,
 * and no second try is made. The SDK throws `AbortError`; what became of the call is unknown, as after a lost answer.
 */
export function endCalls<Client extends object>(client: Client): Client {
  const { requestHandler } = (client as SdkClient).config;
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = (request, options = {}) => {
    const end = endOfCalls();
    if (end === undefined) return handle(request, options);
    const own = options.abortSignal as AbortSignal | undefined;
    return handle(request, { ...options, abortSignal: own === undefined ? end : withSignal(end, own) });
  };
  return client;
}

/** Ends with `signal`, too. */
function withSignal(outer: End, signal: AbortSignal): End {
  const end = new End(outer);
  if (signal.aborted) end.abort(signal.reason);
  else signal.addEventListener('abort', () => end.abort(signal.reason), { once: true });
  return end;
}
