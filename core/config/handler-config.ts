/** Handlers held against the configuration: one that can never run is a mistake, and nothing else would say so. */
import { matches } from '#core/event-type.ts';
import type { HandlerRegistration, HandlerRegistry } from '#core/handler/handler-contract.ts';
import { type ConfigProblem, closest, meant, show } from '#core/problem.ts';
import type { Handshake, ProviderSpec } from '#core/provider/provider-spec.ts';
import type { Deployment } from './deployment.ts';

/** A problem for each handler of a source that nobody configured. The sources are the same in every environment. */
export function checkHandlerSources({ config }: Deployment, handlers: HandlerRegistry): readonly ConfigProblem[] {
  const known = config.sources.map(source => source.id);
  return (handlers.registrations ?? [])
    .filter(({ source }) => source !== '*' && !known.some(id => id === source))
    .map(({ source, type }) => ({
      path: `handlers/index.ts, handler of ${show(type)}`,
      given: `source ${show(source)}, which is not in \`sources\``,
      allowed: ['*', ...known].join(', '),
      fix: meant(source, known, 'add it to `sources` in gateway.config.ts first'),
    }));
}

/** A sentence for each handler of a type that, by the spec of its provider, no event has or none is known to have. */
export function unsentTypes({ config }: Deployment, handlers: HandlerRegistry): readonly string[] {
  return config.sources.flatMap(({ id, spec }) =>
    (handlers.registrations ?? [])
      .filter(({ source }) => source === id)
      .flatMap(registration => {
        const head = `Warning: the handler of ${id} ${show(registration.type)}`;
        const never = whyUnsent(registration, spec);
        if (never !== undefined) return [`${head} never runs: ${never}`];
        const unlisted = whyUnlisted(registration, spec);
        return unlisted === undefined ? [] : [`${head} may never run: ${unlisted}`];
      }),
  );
}

const UNKNOWN = 'unknown';

function whyUnsent({ type }: HandlerRegistration, spec: ProviderSpec): string | undefined {
  const { identity, title, types } = spec;
  if (identity.items !== undefined && type === `${spec.id}.batch`)
    return 'a request of many events is split, and the handlers of its events run.';
  if (identity.type.length === 0 && !matches(type, UNKNOWN))
    return `${title} names no type in its requests; write type: '*'.`;
  if (spec.handshakes?.some(handshake => typeOf(handshake, spec) === type))
    return `${title} sends it to test the address; it is answered before any event is made of it.`;
  const [first] = type.replace(/\*$/, '').replaceAll(new RegExp(types?.character ?? '[^]', 'g'), '');
  if (types !== undefined && first !== undefined)
    return `no type of ${title} has ${show(first)} in it; they look like ${show(types.example)}.`;
  return undefined;
}

/** A new type is in no list: the words leave room for that. */
function whyUnlisted({ type }: HandlerRegistration, { title, types }: ProviderSpec): string | undefined {
  if (types?.known === undefined || [...types.known.names, UNKNOWN].some(name => matches(type, name))) return undefined;
  const { names, from, readOn } = types.known;
  const near = nearest(type, names);
  const list = `It is not among the ${names.length} types of ${title} in ${from}, ${readOn}.`;
  return near === undefined ? `${list} If it is newer, ignore this.` : `did you mean ${show(near)}? ${list}`;
}

/** The name that was meant, or what several of them begin with. */
function nearest(type: string, names: readonly string[]): string | undefined {
  if (!type.endsWith('*')) return closest(type, names);
  const starts = names.flatMap(name => [...name.matchAll(/[./]/g)].map(({ index }) => name.slice(0, index + 1)));
  const near = closest(type.slice(0, -1), [...new Set(starts)]);
  return near === undefined ? undefined : `${near}*`;
}

/** The type that each request of a handshake would have as an event, where the type alone makes it one. */
function typeOf({ when }: Handshake, { identity }: ProviderSpec): string | undefined {
  const { method: _method, header = {}, jsonEquals = {}, ...more } = when;
  const conditions = [
    ...Object.entries(header).map(([name, value]) => [`header:${name}`, value] as const),
    ...Object.entries(jsonEquals).map(([path, value]) => [`json:${path}`, String(value)] as const),
  ];
  const [only] = conditions;
  if (only === undefined || conditions.length > 1 || Object.keys(more).length > 0) return undefined;
  const [from, value] = only;
  return identity.type[0] === from && value !== '*' ? value : undefined;
}
