/** `outbound.portal` of an environment: the page and the API for your customers. Absent: nothing of it is deployed. */
import { type Check, listOf, object, text } from '#core/problem.ts';

/** What a person writes; the name is required. */
export interface PortalConfig {
  /** Your name, as customers know it. @when always */
  readonly name: string;
  /** Made lighter or darker until text in it can be read. @when you have a colour @default Holdfast's green */
  readonly accent?: string;
  /** @when you have a logo @default none */
  readonly logo?: string;
  /**
   * Origins whose pages may frame the portal, e.g. `https://app.acme.com`. @when it is part of your page @default none
   */
  readonly frameAncestors?: readonly string[];
  /** Origins whose scripts may call its API (CORS). @when your scripts call it @default none */
  readonly origins?: readonly string[];
  /** Where customers reach it. @when it has a domain of yours @default the API's own */
  readonly url?: string;
  /**
   * An endpoint's page in your application, for operational events (docs/send/publish.md). @when your application
   * frames the portal @default none
   */
  readonly pageUrl?: string;
}

/** `portal` with every default filled in. */
export interface ResolvedPortal extends PortalConfig {
  readonly accent: string;
  readonly frameAncestors: readonly string[];
  readonly origins: readonly string[];
}

const origin = text(
  /^https:\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d{1,5})?$|^http:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/,
  'an origin: https:// and a host, without a path',
  'e.g. "https://app.acme.com"',
);
/** A whole subdomain may embed. */
const ancestor: Check = (value, path, report) =>
  origin(typeof value === 'string' ? value.replace(/^https:\/\/\*\./, 'https://any.') : value, path, report);

/** The shape of `outbound.portal`. */
export const portalShape: Check = object<PortalConfig>(
  {
    name: text(/^[^\p{Cc}]{1,60}$/u, 'text of 1 to 60 characters', 'write the name your customers know'),
    accent: text(/^#[0-9a-f]{6}$/i, 'a colour such as "#0b6b5d"', 'write # and six digits'),
    logo: text(
      /^data:image\/(?:svg\+xml|png);base64,[A-Za-z0-9+/]{1,32768}={0,2}$/,
      'data:image/svg+xml;base64,… or data:image/png;base64,… of at most 24 KB',
      'write the file in base64, or leave it out',
    ),
    frameAncestors: listOf(ancestor),
    origins: listOf(origin),
    url: origin,
    pageUrl: text(
      /^https:\/\/[a-z0-9.-]+(?::\d{1,5})?\/[^\s{}]*(?:\{(?:app|endpoint)\}[^\s{}]*){0,4}$/,
      'an https URL, in which only {app} and {endpoint} are filled in',
      'e.g. "https://app.acme.com/customers/{app}/webhooks/{endpoint}"',
    ),
  },
  ['name'],
);

/** Fills in the defaults. */
export function resolvePortal(given: PortalConfig): ResolvedPortal {
  return { accent: '#0b6b5d', frameAncestors: [], origins: [], ...given };
}
