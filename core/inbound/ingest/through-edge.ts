/**
 * A request as its sender sent it, where CloudFront is before the front door. CloudFront shows a secret, which nobody else
 * knows; only then the last address it saw is the sender's. The secret's header is taken off in any case: refused requests
 * are kept with their headers.
 */
import { EDGE_SECRET } from '#core/glossary.ts';
import type { Crypto, Secrets } from '#core/ports.ts';
import type { Reply } from '#core/reply.ts';
import { utf8 } from '#core/scan/bytes.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import { refuse } from './reply.ts';

export const EDGE_HEADER = 'x-holdfast-edge';

export async function throughEdge(
  request: RawRequest,
  { direct }: { readonly direct: 'accepted' | 'refused' },
  { secrets, crypto }: { readonly secrets: Pick<Secrets, 'get'>; readonly crypto: Pick<Crypto, 'equal'> },
): Promise<RawRequest | Reply> {
  const { [EDGE_HEADER]: shown, ...headers } = request.headers;
  const plain = { ...request, headers };
  const beside = () => (direct === 'refused' ? refuse('not_through_edge') : plain);
  if (shown === undefined) return beside();
  const known = await secrets.get(EDGE_SECRET);
  // Whose address it is, nobody can tell now: no allow-list can be asked.
  if (known.kind !== 'secret') return refuse('secret_unreadable');
  const { current, previous } = known.secret;
  const genuine = [current, previous].some(each => each !== undefined && crypto.equal(utf8(each), utf8(shown)));
  if (!genuine) return beside();
  const sourceIp = senderOf(headers['x-forwarded-for'] ?? '', request.sourceIp);
  return sourceIp === undefined ? refuse('secret_unreadable') : { ...plain, sourceIp };
}

/**
 * The list ends in the address that CloudFront saw and, where API Gateway adds it, CloudFront's own; before these is what
 * the sender wrote itself.
 */
function senderOf(forwardedFor: string, edgeIp: string): string | undefined {
  const seen = forwardedFor.split(',').map(each => each.trim());
  if (seen.at(-1) === edgeIp) seen.pop();
  return seen.at(-1) || undefined;
}
