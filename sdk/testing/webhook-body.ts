/** A body as a test writes it: a JSON value, form fields, text, or the exact bytes. */
export type WebhookBody =
  | string
  | Uint8Array
  | URLSearchParams
  | Readonly<Record<string, unknown>>
  | readonly unknown[];

/** The bytes of a body and the content type they go with. */
export function encodeBody(body: WebhookBody): { readonly bytes: Uint8Array; readonly contentType: string } {
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  if (body instanceof Uint8Array) return { bytes: body, contentType: 'application/json' };
  if (body instanceof URLSearchParams) {
    return { bytes: encode(body.toString()), contentType: 'application/x-www-form-urlencoded' };
  }
  return { bytes: encode(typeof body === 'string' ? body : JSON.stringify(body)), contentType: 'application/json' };
}

/** Names in lower case, as the gateway sees them. */
export function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
