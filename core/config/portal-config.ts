/** `outbound.portal` of an environment: the page and the API for your customers. Absent: nothing of it is deployed. */
import { type Check, listOf, object, text } from '#core/problem.ts';

/** What a person writes; the name is required. */
export interface PortalConfig {
  /** Your name, as your customers know it: 1 to 60 characters. @when always */
  readonly name: string;
  /**
   * Your colour, `#rrggbb`. The page makes it lighter or darker until text in it can be read. @when you have a colour
   * @default Holdfast's green
   */
  readonly accent?: string;
  /**
   * Your logo as `data:image/svg+xml;base64,…` or `data:image/png;base64,…`, at most 24 KB. @when you have a logo
   * @default none
   */
  readonly logo?: string;
  /**
   * Origins of yours whose pages may show the portal in a frame, such as `https://app.acme.com`. @when the page is
   * part of yours @default none
   */
  readonly frameAncestors?: readonly string[];
  /**
   * Origins whose scripts may call the portal's API themselves (CORS). The page needs none. @when scripts of yours
   * call its API @default none
   */
  readonly origins?: readonly string[];
  /**
   * Origin under which customers reach the portal, where a domain of yours leads to it. @when it has a domain of
   * yours @default the API's own
   */
  readonly url?: string;
  /**
   * Address of an endpoint's page in your own application, which operational events carry: `{app}` and `{endpoint}`
   * become the `uid`, or else the id. Your page asks for a portal token itself. @when the portal is a part of your
   * application @default none
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
