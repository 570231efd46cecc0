/** Commands of versions before, and what takes their place. */
import type { OperatorError } from '#operator/operator-error.ts';
import { usageError } from './cli-error.ts';
import { GLOBAL_OPTIONS } from './unknown-command.ts';

const GONE: Readonly<Record<string, string>> = {
  'dlq show': 'events get <id>',
  'processor status': 'status',
  'replay watch': 'replay ls <job> --watch',
  'out health': 'out endpoints <app> <endpoint>',
  'out message': 'out messages <app> <message>',
  'out attempts': 'out deliveries <app> <endpoint> <message>',
  'out retry-dead': 'out retry <app> --dead',
  'out disable': 'out pause <app> <endpoint>',
  'out enable': 'out resume <app> <endpoint>',
  'out trial': 'out resume <app> <endpoint>',
  'out probe': 'out resume <app> <endpoint>',
  'out apps erased': 'out apps erase <app> --report',
  'out portal-revoke': 'out portal <app> --revoke <link>',
};

/** What to say to a command line that begins with a command that is gone. */
export function goneCommand(args: readonly string[]): OperatorError | undefined {
  const line = `${args.join(' ')} `.replace(GLOBAL_OPTIONS, '');
  const name = Object.keys(GONE).find(it => line.startsWith(`${it} `));
  if (name !== undefined) return usageError(`${name} is gone`, String(GONE[name]), `holdfast ${GONE[name]}`);
  // It deleted messages, and the events of these stayed dead.
  if (!/^dlq purge .*(?<= )--open /.test(line)) return undefined;
  return usageError('dlq purge --open is gone', 'dlq close [ids]', 'holdfast dlq close --cause <cause> --why "…"');
}
