/** A command and a screen that answer the same question call the same function of operator/. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

/** The function, where the CLI calls it, and where the console does. */
const PAIRS = [
  ['listEvents', 'cli/commands/events/events.ts', 'console/server/routes.ts'],
  ['listWhere', 'cli/commands/events/events.ts', 'console/server/routes.ts'],
  ['readWhere', 'cli/commands/events/events.ts', 'console/server/routes.ts'],
  ['historyOf', 'cli/commands/events/events.ts', 'console/server/routes.ts'],
  ['readStoredBody', 'cli/stored-body.ts', 'console/server/routes.ts'],
  ['grepEvents', 'cli/commands/events/events-grep.ts', 'console/server/routes.ts'],
  ['findOne', 'cli/commands/events/events.ts', 'console/server/routes.ts'],
  ['readEventLog', 'cli/commands/logs.ts', 'console/server/routes.ts'],
  ['wordsOf', 'cli/commands/logs.ts', 'console/server/routes.ts'],
  ['FollowLog', 'cli/follow.ts', 'console/server/live.ts'],
  ['moveDeadMessages', 'cli/commands/dlq/dlq.ts', 'console/server/routes.ts'],
  ['closeDeaths', 'cli/commands/dlq/dlq-close.ts', 'console/server/routes.ts'],
  ['replayNow', 'cli/commands/replay.ts', 'console/server/routes.ts'],
  ['previewOf', 'cli/commands/replay.ts', 'console/server/routes.ts'],
  ['startReplay', 'cli/commands/replay.ts', 'console/server/routes.ts'],
  ['listJobs', 'cli/commands/replay.ts', 'console/server/routes.ts'],
  ['cancelJob', 'cli/commands/replay.ts', 'console/server/routes.ts'],
  ['pause', 'cli/commands/pause.ts', 'console/server/source-routes.ts'],
  ['resume', 'cli/commands/pause.ts', 'console/server/source-routes.ts'],
  ['listRefused', 'cli/commands/refused.ts', 'console/server/source-routes.ts'],
  ['showRefused', 'cli/commands/refused.ts', 'console/server/source-routes.ts'],
  ['listShapes', 'cli/commands/sources/shapes.ts', 'console/server/source-routes.ts'],
  ...(
    [
      ['readOutbound', 'lists'],
      ['worstFirst', 'lists'],
      ['listEndpoints', 'lists'],
      ['healthOf', 'lists'],
      ['listMessages', 'lists'],
      ['messageBody', 'lists'],
      ['deliveriesOf', 'lists'],
      ['listDeliveries', 'lists'],
      ['listAttempts', 'lists'],
      ['retryDelivery', 'acts'],
      ['testEndpoint', 'acts'],
      ['setGate', 'acts'],
    ] as const
  ).map(([name, file]) => [name, `cli/commands/out/${file}.ts`, 'console/server/delivery-routes.ts'] as const),
  ['listSources', 'cli/commands/sources/sources.ts', 'console/server/describe-now.ts'],
  ['sendToSource', 'cli/commands/send.ts', 'console/server/source-routes.ts'],
  ['requestOf', 'cli/commands/listen.ts', 'console/server/routes.ts'],
  ['readSystem', 'cli/commands/status.ts', 'console/server/describe-now.ts'],
  ['needsOf', 'cli/commands/status.ts', 'console/server/describe-now.ts'],
] as const;

it.each(PAIRS)('%s is called by %s and by %s', (name, ...files) => {
  for (const file of files) {
    const code = readFileSync(join(ROOT, file), 'utf8');
    const imported = new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from '#operator/`);
    expect(code, file).toMatch(imported);
    expect(code.split(name).length, `${file} uses it`).toBeGreaterThan(2);
  }
});
