/** What the clients of the SDK and their stand-ins have in common here. */
interface SdkClient {
  /** Absent in the small signed client, which judges its answers itself. */
  readonly middlewareStack?: {
    add(middleware: unknown, options: { step: 'deserialize'; priority: 'low'; name: string }): void;
  };
}
interface Handled {
  readonly response?: { readonly statusCode?: number; readonly headers?: Readonly<Record<string, string>> };
}

/**
 * Makes the SDK's client take an empty 200 for what it is, no answer: it reads one as an object without members, which of
 * a read means "there is no such item". It is tried again like a failed connection. A cut answer fails as JSON already.
 */
export function refuseEmptyAnswers<Client extends object>(client: Client): Client {
  const judge = (next: (args: unknown) => Promise<Handled>) => async (args: unknown) => {
    const handled = await next(args);
    const { statusCode, headers } = handled.response ?? {};
    if (statusCode === 200 && headers?.['content-length'] === '0') {
      throw Object.assign(new Error('an empty answer'), { name: 'EmptyAnswer', $retryable: {} });
    }
    return handled;
  };
  (client as SdkClient).middlewareStack?.add(judge, {
    step: 'deserialize',
    priority: 'low',
    name: 'refuseEmptyAnswers',
  });
  return client;
}
