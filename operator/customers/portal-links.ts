/** Links that open the portal as one customer: made and ended through the delivery API. */
import { isTokenId } from '#core/outbound/api/portal-token.ts';
import type { Operator } from '#operator/operator.ts';
import { usageError } from '#operator/operator-error.ts';
import { ask } from './deliveries.ts';

/** A link that opens the portal as one customer: the token is behind `#`, which a browser sends to nobody. */
export async function portalLink(
  operator: Operator,
  app: string,
  { readOnly, seconds }: { readonly readOnly: boolean; readonly seconds: number },
): Promise<{ readonly id: string; readonly url: string; readonly expires_at: string }> {
  const body = { read_only: readOnly, expires_in_seconds: seconds };
  const path = ['apps', app, 'portal-tokens'];
  const call = { method: 'POST', path, body } as const;
  const { id, url, expires_at } = await ask<{ id: string; url: string; expires_at: string }>(operator, call);
  return { id, url, expires_at };
}

/**
 * Ends one link by its id (`tok_…`); without it, each that was made until now. Each is refused with its next call. Throws
 * OperatorError for what is no id before it is part of an address: a token must get into no log.
 */
export async function revokePortalLinks(operator: Operator, app: string, id?: string): Promise<void> {
  if (id !== undefined && !isTokenId(id)) {
    throw usageError(
      'That is not the id of a link',
      'tok_ and 32 hexadecimal digits, as `out portal` printed it; never the token (hfp_…) itself',
      'look for the id beside the link, or end all links of this customer',
    );
  }
  const path = ['apps', app, 'portal-tokens', ...(id === undefined ? [] : [id])];
  await ask(operator, { method: 'DELETE', path });
}
