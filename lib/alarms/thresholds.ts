/** `thresholds` of an environment over the alarms' own numbers: by alarm id, for both halves. */
import type { Deployment } from '#core/config/deployment.ts';
import { ConfigError } from '#core/config/resolve-config.ts';
import { type ConfigProblem, closest, show } from '#core/problem.ts';
import type { AlarmSpec } from './alarm-spec.ts';

/** Alarms of what is sent to customers begin so; they are made in a stack of their own. */
const SENDING = 'delivery-';

/**
 * The alarms with the numbers that the environment gives them. `half`: whose alarms these are; a key of the other half is
 * looked at there. Throws ConfigError for a key that is no alarm with a number, and for a ticket that comes after its page.
 */
export function withThresholds(
  specs: readonly AlarmSpec[],
  { thresholds, config }: Pick<Deployment, 'thresholds' | 'config'>,
  half: 'receiving' | 'sending',
): readonly AlarmSpec[] {
  const path = (id: string): string => `environments.${config.environment}.thresholds.${JSON.stringify(id)}`;
  const numbers = new Map(
    specs.flatMap(({ id, threshold = 1 }) => (typeof threshold === 'number' ? [[id, threshold]] : [])),
  );
  const problems: ConfigProblem[] = [];
  for (const id of Object.keys(thresholds)) {
    const isOther = config.outbound !== undefined && id.startsWith(SENDING);
    if (numbers.has(id) || (half === 'sending') !== isOther) continue;
    const ids = [...numbers.keys()].sort();
    const near = closest(id, ids);
    problems.push({
      path: path(id),
      given: `${show(id)}, no alarm of this environment that fires at a number`,
      allowed: near !== undefined && ids.length > 12 ? `one of its ${ids.length} alarms that do` : ids.join(', '),
      fix: near === undefined ? 'remove it' : `did you mean ${near}?`,
    });
  }
  const at = (id: string): number | undefined => thresholds[id] ?? numbers.get(id);
  for (const id of numbers.keys()) {
    const ticket = at(id);
    const page = at(`${id}-page`);
    if (ticket !== undefined && page !== undefined && ticket >= page)
      problems.push({
        path: path(id),
        given: `${ticket} with ${id}-page ${page}`,
        allowed: `less than ${id}-page: a ticket comes before a page`,
        fix: 'lower it',
      });
  }
  if (problems.length > 0) throw new ConfigError(problems);
  // Its own where the environment gives none: alarms of one id, one for each source, may have numbers of their own.
  return specs.map(spec => {
    const { id, threshold = 1 } = spec;
    return typeof threshold === 'number' ? { ...spec, threshold: thresholds[id] ?? threshold } : spec;
  });
}
