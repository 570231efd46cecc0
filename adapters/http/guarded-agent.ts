/**
 * Agents whose every connection goes to an address that was judged: by the socket's own answer of the name server, and once
 * more on the connected socket before a byte is sent. A literal address never gets to the `lookup` hook, so it is judged
 * here before; a kept connection was judged when it was made.
 */
import { type AgentOptions, type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions as HttpsAgentOptions } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { given } from '#core/given.ts';
import { isForbidden, type NameRules, resolveName } from './resolve-name.ts';
import { type Phase, SendFailure } from './send-failure.ts';

export interface AgentRules extends NameRules {
  /** Connections at once. */
  readonly maxSockets: number;
  readonly keepAlive: boolean;
  /** Limits of the phases behind the name lookup. */
  readonly connectMs: number;
  readonly tlsMs: number;
  /** Trusted besides nobody else: for tests. @default the authorities of Node */
  readonly ca?: string;
}

/** The rules of production. */
export const AGENT_RULES: AgentRules = {
  ipv6: false,
  allowAddresses: [],
  dnsMs: 2_000,
  connectMs: 5_000,
  tlsMs: 5_000,
  maxSockets: 10,
  keepAlive: false,
};

/** How far a connection has come; times of `performance.now()`. */
export interface Progress {
  phase: Phase;
  resolvedAt?: number;
  connectedAt?: number;
  securedAt?: number;
}

/** All that a customer is told: never the address. */
const NOT_ALLOWED = 'this address is not allowed';

const progresses = new WeakMap<Duplex, Progress>();

/** Of a connection that a guarded agent made. */
export const progressOf = (socket: Duplex): Progress | undefined => progresses.get(socket);

export function guardedHttpsAgent(rules: AgentRules): HttpsAgent {
  class GuardedHttpsAgent extends HttpsAgent {
    override createConnection(options: ClientRequestArgs, done?: (error: Error | null, socket: Duplex) => void) {
      return guard(options, rules, checked => super.createConnection(checked, done) as Socket);
    }
  }
  return new GuardedHttpsAgent({
    ...limitsOf(rules),
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ...given({ ca: rules.ca }),
  } satisfies HttpsAgentOptions);
}

/** Without TLS: for allowed literal addresses of emulated environments only. */
export function guardedHttpAgent(rules: AgentRules): HttpAgent {
  class GuardedHttpAgent extends HttpAgent {
    override createConnection(options: ClientRequestArgs, done?: (error: Error | null, socket: Duplex) => void) {
      return guard(options, rules, checked => super.createConnection(checked, done) as Socket);
    }
  }
  return new GuardedHttpAgent(limitsOf(rules));
}

function limitsOf({ maxSockets, keepAlive }: AgentRules): AgentOptions {
  return { maxSockets, keepAlive, maxFreeSockets: maxSockets };
}

function guard(options: ClientRequestArgs, rules: AgentRules, connect: (options: ClientRequestArgs) => Socket): Socket {
  const host = options.host ?? '';
  const judged = new Set<string>();
  if (isIP(host) !== 0) {
    // Thrown to the caller of the request: no socket is made.
    if (isForbidden(host, rules)) throw new SendFailure('forbidden_address', NOT_ALLOWED);
    judged.add(host);
  }
  const progress: Progress = { phase: isIP(host) === 0 ? 'dns' : 'connect' };
  const startConnecting = () => {
    progress.phase = 'connect';
    timer = setTimeout(() => socket.destroy(new SendFailure('connect', 'no connection in time')), rules.connectMs);
  };
  let timer: NodeJS.Timeout | undefined;
  const lookup: LookupFunction = (name, { all }, callback) => {
    resolveName(name, rules).then(
      addresses => {
        for (const address of addresses) judged.add(address);
        progress.resolvedAt = performance.now();
        startConnecting();
        const found = addresses.map(address => ({ address, family: isIP(address) }));
        if (all) callback(null, found);
        else callback(null, found[0]?.address ?? '', found[0]?.family);
      },
      (error: Error) => callback(error, '', 0),
    );
  };
  const socket = connect({
    ...options,
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_000,
  } as ClientRequestArgs);
  progresses.set(socket, progress);
  if (progress.phase === 'connect') startConnecting();
  // Before TLS has its own listener called, which would send the first bytes.
  socket.prependOnceListener('connect', () => {
    clearTimeout(timer);
    progress.connectedAt = performance.now();
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || !judged.has(remoteAddress)) {
      const gone = new SendFailure('reset', 'the connection was reset');
      socket.destroy(remoteAddress === undefined ? gone : new SendFailure('forbidden_address', NOT_ALLOWED));
      return;
    }
    const secured = 'encrypted' in socket;
    progress.phase = secured ? 'tls' : 'open';
    if (secured)
      timer = setTimeout(() => socket.destroy(new SendFailure('tls', 'no secure connection in time')), rules.tlsMs);
  });
  socket.once('secureConnect', () => {
    clearTimeout(timer);
    progress.securedAt = performance.now();
    progress.phase = 'open';
  });
  socket.once('close', () => clearTimeout(timer));
  return socket;
}
