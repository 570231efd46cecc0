/**
 * The URL of an endpoint: what a customer may give as the place to call. Pure; asked when an endpoint is made or changed,
 * and again before every attempt. The addresses its name leads to are judged later, on the socket's own answer.
 */

export interface TargetRules {
  /** Ports that may be called. */
  readonly ports: readonly number[];
  /** Hosts of this deployment, which must not call itself. Lower case. */
  readonly ownHosts: readonly string[];
  /** Only where AWS is emulated: literal addresses that may be called all the same, and over plain http. */
  readonly allowAddresses: readonly string[];
}

/** An address as it will be called. */
interface Target {
  readonly protocol: 'https:' | 'http:';
  /** A name, or an allowed literal address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Path and query. */
  readonly path: string;
  /** True where `host` is an allowed literal address: there is no name to look up. */
  readonly literal: boolean;
}

/** `message` says what was given, what is allowed and what to do. */
export type TargetVerdict =
  | { readonly kind: 'allowed'; readonly target: Target }
  | { readonly kind: 'refused'; readonly message: string };

const MAX_BYTES = 2_048;
/** Names that lead nowhere in public: reserved (RFC 2606, 6761, 6762, 7686, 8375) or used inside companies. */
const INSIDE = ['localhost', 'local', 'internal', 'lan', 'corp', 'home', 'arpa', 'invalid', 'test', 'example', 'onion'];

export function checkTarget(text: string, rules: TargetRules): TargetVerdict {
  const refused = (message: string): TargetVerdict => ({ kind: 'refused', message });
  // 1. The text itself: parsers repair too much ("https:host" and "https:\\host" are hosts to them).
  if (text.length > MAX_BYTES)
    return refused(`the URL has ${text.length} characters; at most ${MAX_BYTES} are allowed`);
  if (!/^[!-~]*$/.test(text) || text.includes('\\'))
    return refused(
      'the URL may hold printable ASCII only, without spaces and backslashes: give other letters of a host as xn--…, of a path as %…',
    );
  const [, scheme = '', authority = ''] = /^(https?):\/\/([^/?#]*)/i.exec(text) ?? [];
  const protocol = `${scheme.toLowerCase()}:`;
  if (protocol !== 'https:' && protocol !== 'http:') return refused('the URL must begin with https://');
  // 2. What a parser makes of it.
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return refused('this is not a URL: give one like https://hooks.customer.com/in');
  if (authority.includes('@')) return refused('the URL must not hold a user or password: use a header of the endpoint');
  if (text.includes('#')) return refused('the URL must not hold a fragment (#…): it would never be sent');
  // 3. The host as parsed is the host as written: refuses every other writing of an address.
  const host = url.hostname;
  const written = authority.replace(/:\d*$/, '').toLowerCase();
  if (host !== written) return refused('the host must be written as it is called: a plain name, without escapes');
  const path = `${url.pathname}${url.search}`;
  const port = url.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(url.port);
  // 4. Allowed literals of an emulated environment.
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (rules.allowAddresses.includes(bare))
    return { kind: 'allowed', target: { protocol, host: bare, port, path, literal: true } };
  if (protocol === 'http:') return refused('the URL must begin with https://');
  if (!rules.ports.includes(port))
    return refused(`port ${port} is not allowed: use ${rules.ports.join(', ')}, or have it added to outbound.ports`);
  // 5. A public name.
  const problem = problemOfName(host, rules.ownHosts);
  return problem === undefined
    ? { kind: 'allowed', target: { protocol, host, port, path, literal: false } }
    : refused(problem);
}

function problemOfName(host: string, ownHosts: readonly string[]): string | undefined {
  const labels = host.split('.');
  const last = labels.at(-1) ?? '';
  if (host.endsWith('.')) return 'the host must not end in a full stop';
  if (host.startsWith('[') || /^\d/.test(last)) return 'the host must be a name, not an address';
  if (labels.length < 2) return `"${host}" is no public name: give the whole name, like hooks.customer.com`;
  const fits = host.length <= 253 && labels.every(label => /^[a-z0-9_-]{1,63}$/.test(label)) && /^[a-z]/.test(last);
  if (!fits) return 'the host may hold letters, digits, hyphens, underscores and full stops only, 63 to a part';
  if (INSIDE.includes(last)) return `names that end in .${last} are not public: this address is not allowed`;
  if (ownHosts.includes(host)) return 'this address is one of this deployment itself: it must not call itself';
  return undefined;
}
