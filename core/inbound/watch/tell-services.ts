/** Tells Slack and PagerDuty of an alarm, each in its own format. */
import type { AlarmService } from '#core/alarm-service.ts';
import { DependencyError } from '#core/errors.ts';
import type { Telemetry } from '#core/ports.ts';
import { type AlarmNews, readAlarmNews } from './alarm-news.ts';
import { PAGERDUTY_URLS, pagerDutyEvent } from './pagerduty-event.ts';
import { slackMessage } from './slack-message.ts';

interface TellPorts {
  /** The URL or key of a service. Throws DependencyError when it is not set or cannot be read. */
  secretOf(service: AlarmService): Promise<string>;
  /** POSTs JSON, and answers the status and the beginning of what came back. Throws DependencyError when nothing did. */
  post(url: string, body: string): Promise<{ readonly status: number; readonly text: string }>;
  readonly telemetry: Pick<Telemetry, 'log'>;
}

interface TellRules {
  readonly environment: string;
  /** Where PagerDuty is. @default its own addresses */
  readonly pagerDutyUrls?: Readonly<Record<AlarmService['region'], string>>;
}

/**
 * Tells each service. Throws DependencyError when one was not told, after all were tried: Lambda then tries all again, for
 * which PagerDuty has the key, and Slack shows the message once more. What comes after those tries (`late`) is told as well
 * as can be and never fails: it came back through the topic, and would come back again.
 */
export async function tellServices(
  message: string,
  services: readonly AlarmService[],
  ports: TellPorts,
  rules: TellRules,
): Promise<void> {
  const read = readAlarmNews(message);
  if (read === undefined || read.news.state === 'INSUFFICIENT_DATA') return;
  const told = await Promise.allSettled(services.map(each => tell(each, read.news, ports, rules)));
  const failed = told.flatMap((each, n) => {
    if (each.status === 'fulfilled') return [];
    const error = each.reason instanceof Error ? each.reason.message : String(each.reason);
    return [`${services[n]?.kind} ${services[n]?.name}: ${error}`];
  });
  for (const error of failed) ports.telemetry.log('error', { stage: 'notify', alarm: read.news.name, error });
  if (failed.length > 0 && !read.late) throw new DependencyError('http', `not told: ${failed.join('; ')}`);
}

async function tell(service: AlarmService, news: AlarmNews, ports: TellPorts, rules: TellRules): Promise<void> {
  const secret = await ports.secretOf(service);
  const about = { environment: rules.environment, severity: service.severity };
  const { url, body } =
    service.kind === 'slack'
      ? { url: secret, body: slackMessage(news, about) }
      : {
          url: (rules.pagerDutyUrls ?? PAGERDUTY_URLS)[service.region],
          body: pagerDutyEvent(news, about, secret),
        };
  const { status, text } = await ports.post(url, JSON.stringify(body));
  if (status < 200 || status > 299) throw new DependencyError('http', `it answered ${status} ${text.slice(0, 200)}`);
}
