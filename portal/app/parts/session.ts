/** Who this is for and what the token allows, known before any screen is shown. */

export interface Session {
  readonly application: { readonly id: string; readonly name: string };
  readonly capabilities: readonly string[];
  readonly expires_at: string;
  /** What a contact may be; empty: there are none. */
  readonly contacts: readonly ('url' | 'email')[];
}

let known: Session | undefined;

export function setSession(session: Session): void {
  known = session;
}

function session(): Session {
  if (known === undefined) throw new Error('asked before the server said who this is');
  return known;
}

export const may = (capability: 'read_bodies' | 'manage' | 'secrets' | 'test' | 'replay'): boolean =>
  session().capabilities.includes(capability);

/** The beginning of every path of this customer. */
export const pathOf = (...parts: readonly string[]): string =>
  `/apps/${[session().application.id, ...parts].map(encodeURIComponent).join('/')}`;
export const appId = (): string => session().application.id;

export const contactKinds = (): Session['contacts'] => session().contacts;

/** What the producer calls itself. */
export const producer = (): string => document.getElementById('app')?.dataset['name'] ?? '';
/** Who pauses and disables, as this customer calls them. */
export const closers = (): Readonly<Record<string, string>> => ({
  operator: producer(),
  customer: 'your side',
  system: producer(),
});
export const logo = (): string => document.getElementById('app')?.dataset['logo'] ?? '';
