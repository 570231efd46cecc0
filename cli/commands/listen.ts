/** `holdfast listen`: hands every event to a program on this machine, from where the last run stopped. */
import { toEventId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import type { HttpAnswer } from '#operator/http-answer.ts';
import { requestOf } from '#operator/sources/send-request.ts';
import { EXIT, usageError } from '../cli-error.ts';
import { openLog } from '../follow.ts';
import type { Run, RunCommand } from '../run.ts';

interface ListenOptions {
  readonly forwardTo?: string;
  readonly source?: string;
  readonly since?: string;
  readonly name: string;
  readonly sign?: boolean;
}

const RETRY_MS = 2_000;

export function addListen(program: RunCommand): void {
  program
    .command('listen')
    .description(
      'Forward received events to a program on this machine. It begins with those that came while it was away',
    )
    .requiredOption('--forward-to <url>', 'where to POST them, e.g. http://localhost:3000/webhooks')
    .option('--source <names>', 'sources, separated by commas (default: all)')
    .option('--since <when>', 'begin then, not where the last run stopped (5m, 2026-11-21T03:00Z)')
    .option('--sign', "sign each request again with the source's secret, as the provider would")
    .option('--name <name>', 'remember under this name how far it got', 'listen')
    .examples(
      [
        'holdfast listen --forward-to http://localhost:3000/webhooks',
        'every event, in order, each until it is answered',
      ],
      ['holdfast listen --source stripe --sign --forward-to http://localhost:3000', 'with a valid signature'],
    )
    .does(async (run, options: ListenOptions) => {
      const url = options.forwardTo ?? '';
      if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
        throw usageError(
          `--forward-to: "${url.slice(0, 80)}"`,
          'an http or https URL',
          '--forward-to http://localhost:3000/webhooks',
        );
      const { log, sources } = await openLog(run, options, { endings: false });
      run.out.note(`Forwarding ${sources.join(', ')} of ${run.environment} to ${url} (Ctrl-C ends it)`);
      await log.follow(item => forward(run, item, url, options.sign === true), run.io.interrupted);
      return EXIT.ok;
    });
}

/** True once the program answered, whatever it answered; while nothing answers the event is tried again. */
async function forward(run: Run, item: EventItem, url: string, sign: boolean): Promise<boolean> {
  const id = toEventId(item.pk);
  const request = await requestOf(run, item, { sign });
  if (request === undefined) {
    run.out.row({ id, outcome: 'body_missing' }, () => `${id}  has no body any more`);
    return true;
  }
  let said = false;
  while (!run.io.interrupted.aborted) {
    try {
      const { http } = await run.gateway();
      const answer: HttpAnswer = await http(`${url}${request.query}`, request);
      const ms = Math.round(answer.ms);
      const good = answer.status < 400;
      run.out.row({ id, event_type: item.eventType, outcome: 'forwarded', status: answer.status, ms }, () => {
        const status = run.out.paint(good ? 'green' : 'red', String(answer.status));
        return `${status}  ${item.eventType.padEnd(28)} ${id}  ${run.out.paint('dim', `${ms} ms`)}`;
      });
      return true;
    } catch (error) {
      if (!said) run.out.note(`Nothing answers at ${url} (${(error as Error).message}); waiting`);
      said = true;
      await (await run.gateway()).timer.sleep(RETRY_MS);
    }
  }
  return false;
}
