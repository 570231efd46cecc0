/** What a customer sees of an answer (portal-routes.ts). */
import { type Customer, isByCustomer, MASKED } from '#core/outbound/api/customer.ts';
import { type PortalRoute, SHAPES, type Shape } from './portal-routes.ts';

type Json = Readonly<Record<string, unknown>>;

/** A success as the customer sees it; refusals keep their form. */
export function customerView(
  route: PortalRoute,
  { capabilities }: Pick<Customer, 'capabilities'>,
  answer: unknown,
): unknown {
  const one = (value: unknown): Json => {
    const shown = picked(value as Json, SHAPES[route]);
    const hidden = { ...withoutPeople(shown, value as Json), ...maskedHeaders(shown) };
    const bodied = capabilities.includes('read_bodies') ? hidden : withoutBodies(hidden);
    return capabilities.includes('secrets') ? bodied : without(bodied, ['secret', 'verify_with']);
  };
  const { data, ...rest } = answer as { data?: readonly unknown[]; cursor?: unknown; after?: unknown };
  if (!Array.isArray(data)) return one(answer);
  return { data: data.map(one), ...picked(rest, ['cursor', 'after', 'next_poll_seconds']) };
}

const picked = (value: Json, names: Shape): Json =>
  Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
const without = (value: Json, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));

/** Your people's reasons are theirs; the customer's own, and ours, are shown. */
function withoutPeople(shown: Json, whole: Json): Json {
  const byOperator = shown['closed_by'] === 'operator' || ('by' in whole && !isByCustomer(String(whole['by'])));
  return 'why' in shown && byOperator ? { ...shown, why: null } : shown;
}

function maskedHeaders({ headers }: Json): Json {
  if (typeof headers !== 'object' || headers === null) return {};
  return { headers: Object.fromEntries(Object.keys(headers).map(name => [name, MASKED])) };
}

/** Bodies of requests and answers, wherever an answer has some. */
function withoutBodies(value: Json): Json {
  const inside = (name: string, bodies: readonly string[]): Json => {
    const part = value[name];
    if (typeof part !== 'object' || part === null) return {};
    const emptied = bodies.filter(each => each in part).map(each => [each, null]);
    return { [name]: { ...part, ...Object.fromEntries(emptied) } };
  };
  return {
    ...value,
    ...('response_body' in value ? { response_body: null } : {}),
    ...inside('last_attempt', ['snippet']),
    ...inside('request', ['body']),
    ...inside('response', ['body']),
  };
}
