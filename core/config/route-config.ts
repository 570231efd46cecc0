/** Routes as a person writes them, checked and put where the running code looks for them: at their source. */
import type { HandlerRegistry } from '#core/handler/handler-contract.ts';
import { isLoopback, parseArn, parseTarget, type Route, type RouteTarget } from '#core/inbound/routing/target.ts';
import { findConflicts } from '#core/inbound/routing/with-routes.ts';
import {
  type Check,
  type ConfigProblem,
  listOf,
  meant,
  number,
  type Report,
  recordOf,
  show,
  text,
} from '#core/problem.ts';
import type { Deployment } from './deployment.ts';
import type { EnvironmentConfig, RoutesConfig } from './gateway-config.ts';
import type { ResolvedSource } from './resolved-config.ts';

/** Targets of one type. Each is asked in every attempt until it accepts, and the attempt has half a minute. */
const MAX_TARGETS = 10;

const eventType = text(
  /^(?=.)[^*]*\*?$/,
  'an event type, or one with a final *, e.g. "invoice.paid", "invoice.*", "*"',
  'move the * to the end, or write one line per type',
);
const targets: Check = (value, path, report) => {
  listOf(text(/^\S{1,2048}$/, 'an ARN, an https URL or outbound:<uid> in quotes', 'correct it'))(value, path, report);
  if (!Array.isArray(value)) return;
  number(1, MAX_TARGETS, 'targets')(value.length, path, report);
};

/** The shape of `routes`; what the texts in it mean is checked by `addRoutes`. */
export const routesShape: Check = recordOf(recordOf(targets, eventType));

/** The deployment with the environment's routes at its sources. Reports every route that cannot work. */
export function addRoutes(deployment: Deployment, environment: EnvironmentConfig, report: Report): Deployment {
  const { routes } = environment;
  if (routes === undefined) return deployment;
  const at = `environments.${deployment.config.environment}.routes`;
  checkSources(routes, deployment, at, report);
  const resolved = new Map(
    Object.entries(routes).map(([source, types]) => [
      source,
      resolveTypes(types, `${at}.${source}`, deployment, report),
    ]),
  );
  checkRegions([...resolved.values()].flat(), at, report);
  const put = (source: ResolvedSource): ResolvedSource => {
    const own = resolved.get(source.id) ?? [];
    return own.length === 0 ? source : { ...source, routes: own };
  };
  return {
    ...deployment,
    config: { ...deployment.config, sources: deployment.config.sources.map(put) },
    sources: deployment.sources.map(each => ({ ...each, source: put(each.source) })),
  };
}

function checkSources(routes: RoutesConfig, deployment: Deployment, at: string, report: Report): void {
  const known: readonly string[] = deployment.sources.map(each => each.source.id);
  for (const name of Object.keys(routes)) {
    if (!known.includes(name)) report(unknownSource(at, name, known));
  }
}

/** Of a part of an environment that names sources. */
export const unknownSource = (at: string, name: string, known: readonly string[]): ConfigProblem => ({
  path: `${at}.${name}`,
  given: 'a source that is not in `sources`',
  allowed: known.join(', '),
  fix: meant(name, known, 'add it to `sources` first'),
});

function resolveTypes(
  types: RoutesConfig[string],
  at: string,
  deployment: Deployment,
  report: Report,
): readonly Route[] {
  return Object.entries(types).map(([type, addresses]) => ({
    type,
    targets: addresses.flatMap((address, index) => {
      const path = `${at}.${JSON.stringify(type)}[${index}]`;
      const first = addresses.indexOf(address);
      if (first < index) {
        report({
          path,
          given: `${show(address)}, which is [${first}] already`,
          allowed: 'each target once per type: it would get the event twice',
          fix: 'remove it',
        });
        return [];
      }
      const parsed = parseTarget(address);
      if ('problem' in parsed) {
        report({ path, given: show(address), ...parsed.problem });
        return [];
      }
      checkUrl(parsed.target, path, deployment, report);
      checkOutboundTarget(parsed.target, path, deployment, report);
      return [parsed.target];
    }),
  }));
}

function checkUrl({ kind, address }: RouteTarget, path: string, deployment: Deployment, report: Report): void {
  if (kind !== 'http') return;
  const url = new URL(address);
  if (isLoopback(url) && !deployment.emulated) {
    report({
      path,
      given: show(address),
      allowed: 'an address the functions reach: they do not run on this machine',
      fix: 'give the address of the service in this environment',
    });
  }
  if (deployment.sources.some(({ source }) => source.publicUrl !== undefined && sameOrigin(source.publicUrl, url))) {
    report({
      path,
      given: show(address),
      allowed: 'a service of yours: this is the gateway itself, which would send events to itself without end',
      fix: 'route to what should act on the event',
    });
  }
}

function checkOutboundTarget(
  { kind, address }: RouteTarget,
  path: string,
  { config }: Deployment,
  report: Report,
): void {
  if (kind !== 'outbound' || config.outbound !== undefined) return;
  report({
    path,
    given: `${show(address)}, in an environment without \`outbound\``,
    allowed: 'customers where webhooks are sent: nothing would take the event',
    fix: `add outbound: {} to environments.${config.environment}`,
  });
}

const sameOrigin = (publicUrl: string, url: URL): boolean => new URL(publicUrl).origin === url.origin;

/** The functions call the services of their own region only, so two regions cannot both be right. */
function checkRegions(routes: readonly Route[], at: string, report: Report): void {
  const regions = new Map<string, string>();
  for (const { address } of routes.flatMap(route => route.targets)) {
    const region = parseArn(address)?.region;
    if (region !== undefined && !regions.has(region)) regions.set(region, address);
  }
  if (regions.size < 2) return;
  report({
    path: at,
    given: `targets in ${[...regions.keys()].join(' and ')}`,
    allowed: 'targets in the region of the environment',
    fix: 'route to a bus, topic or queue of that region, and let it pass events on to the other',
  });
}

/** A problem for each type that has both a handler and a route: nobody could say which of them runs. */
export function checkHandlers({ config }: Deployment, handlers: HandlerRegistry): readonly ConfigProblem[] {
  return config.sources.flatMap(source =>
    findConflicts(source, handlers).map(type => ({
      path: `environments.${config.environment}.routes.${source.id}.${JSON.stringify(type)}`,
      given: 'a route for a type that has a handler too (handlers/index.ts)',
      allowed: 'one of the two',
      fix: 'remove one, or make their types differ: the longer one wins',
    })),
  );
}

/** A problem for each target that the functions cannot reach from where the deployment goes, as far as that is known. */
export function checkReach({ config, region, account }: Deployment): readonly ConfigProblem[] {
  const at = `environments.${config.environment}.routes`;
  const targets = config.sources.flatMap(source => (source.routes ?? []).flatMap(route => route.targets));
  return [...new Map(targets.map(it => [it.address, it])).values()].flatMap(({ kind, address }) => {
    const arn = parseArn(address);
    if (arn && region !== undefined && arn.region !== region) {
      return {
        path: at,
        given: `${address}, in an environment in ${region}`,
        allowed: `targets in ${region}: a function calls the services of its own region`,
        fix: 'route to a bus, topic or queue there, and let it pass events on',
      };
    }
    if (arn && kind === 'state_machine' && account !== undefined && arn.account !== account) {
      return {
        path: at,
        given: `${address}, in an environment in account ${account}`,
        allowed: 'state machines of the same account: Step Functions starts none for another',
        fix: 'route to an EventBridge bus or a queue of that account',
      };
    }
    return [];
  });
}
