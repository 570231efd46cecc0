/** A chain of X.509 certificates that a signed token brings (RFC 7515, 4.1.6), led back to a pinned root. */
import { createHash, X509Certificate } from 'node:crypto';
import type { ChainRules } from '#core/ports.ts';

export function verifyChain(
  chain: readonly Uint8Array[],
  { roots, leafExtension, issuerExtension }: ChainRules,
  atMs: number,
): Uint8Array | undefined {
  try {
    const root = chain.at(-1);
    if (!root || !roots.includes(createHash('sha256').update(root).digest('hex'))) return undefined;
    const certificates = chain.map(der => new X509Certificate(der));
    const [leaf] = certificates;
    if (!leaf || !certificates.every((it, at) => isGood(it, certificates.slice(at + 1), atMs))) return undefined;
    if (!has(chain[0], leafExtension) || !has(chain[1], issuerExtension)) return undefined;
    return leaf.publicKey.export({ format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

/** Valid at the time, and issued by the next. The last one is pinned by its hash, so it need not say that it may issue. */
function isGood(certificate: X509Certificate, [issuer, ...above]: readonly X509Certificate[], atMs: number): boolean {
  if (atMs < certificate.validFromDate.getTime() || atMs > certificate.validToDate.getTime()) return false;
  if (issuer === undefined) return true;
  const mayIssue = issuer.ca || above.length === 0;
  return mayIssue && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function has(der: Uint8Array | undefined, extension: string | undefined): boolean {
  return extension === undefined || (der !== undefined && extensionsOf(der).includes(extension));
}

/** `[3] EXPLICIT Extensions` of a TBSCertificate (RFC 5280, 4.1). */
const EXTENSIONS = 0xa3;

/** Object identifiers of a certificate's extensions in hex, which node:crypto does not tell. It is DER: it was parsed. */
function extensionsOf(certificate: Uint8Array): readonly string[] {
  const inside = (bytes: Uint8Array | undefined) => elements(bytes ?? new Uint8Array());
  const [tbs] = inside(inside(certificate)[0]?.content);
  const holder = inside(tbs?.content).find(({ tag }) => tag === EXTENSIONS);
  return inside(inside(holder?.content)[0]?.content).map(({ content }) =>
    Buffer.from(inside(content)[0]?.content ?? []).toString('hex'),
  );
}

/** X.690, 8.1: a tag, a length (short, or its own length and then itself), the content. */
function elements(bytes: Uint8Array): { readonly tag: number; readonly content: Uint8Array }[] {
  const found = [];
  for (let at = 0; at < bytes.length; ) {
    const [tag = 0, short = 0] = bytes.subarray(at);
    let from = at + 2;
    let length = short;
    if (short >= 0x80) {
      const end = from + short - 0x80;
      for (length = 0; from < end; from++) length = length * 256 + (bytes[from] ?? 0);
    }
    at = from + length;
    found.push({ tag, content: bytes.subarray(from, at) });
  }
  return found;
}
