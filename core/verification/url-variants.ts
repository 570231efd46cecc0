/** The spellings of one URL under which a provider may have signed it. */
import type { Scheme } from '#core/provider/provider-spec.ts';

/** At least one candidate; `[undefined]` when no public URL is configured or the scheme does not sign it. */
export function urlCandidates(scheme: Scheme, url: string | undefined): readonly (string | undefined)[] {
  if (url === undefined) return [undefined];
  switch (scheme.url?.variants) {
    case 'twilio':
      return [url, ...portVariants(url)];
    case 'hubspot-decode': {
      const decoded = decodeForHubspot(url);
      return decoded === url ? [url] : [decoded, url];
    }
    case undefined:
      return [url];
  }
}

/** Twilio signs with or without the standard port, depending on the product. */
function portVariants(url: string): string[] {
  const match = /^(https?):\/\/([^/?#]*@)?([^/?#:]+)(?::(\d+))?(.*)$/s.exec(url);
  if (!match) return [];
  const [, scheme = '', user = '', host = '', port, rest = ''] = match;
  const standard = scheme === 'https' ? '443' : '80';
  return port === undefined ? [`${scheme}://${user}${host}:${standard}${rest}`] : [`${scheme}://${user}${host}${rest}`];
}

/** HubSpot decodes these before it signs: developers.hubspot.com, validating requests, "decode URL encoded characters". */
const HUBSPOT_DECODED: Readonly<Record<string, string>> = {
  '%3A': ':',
  '%2F': '/',
  '%3F': '?',
  '%40': '@',
  '%21': '!',
  '%24': '$',
  '%27': "'",
  '%28': '(',
  '%29': ')',
  '%2A': '*',
  '%2C': ',',
  '%3B': ';',
};

function decodeForHubspot(url: string): string {
  return url.replace(/%[0-9A-Fa-f]{2}/g, code => HUBSPOT_DECODED[code.toUpperCase()] ?? code);
}
