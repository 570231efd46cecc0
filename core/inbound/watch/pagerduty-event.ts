/**
 * An alarm as an event of PagerDuty's Events API v2: `trigger` opens an incident or adds to the one with the same
 * `dedup_key`, `resolve` ends it. Fields and limits: developer.pagerduty.com/docs/events-api-v2/trigger-events.
 */

import type { AlarmService } from '#core/alarm-service.ts';
import { given } from '#core/given.ts';
import type { AlarmNews } from './alarm-news.ts';
import { cut } from './slack-message.ts';

type Severity = AlarmService['severity'];

const SUMMARY_LIMIT = 1_024;
const KEY_LIMIT = 255;

const SEVERITY_OF: Readonly<Record<Severity, 'critical' | 'warning' | 'info'>> = {
  page: 'critical',
  ticket: 'warning',
  notice: 'info',
};

/** Its two service regions. */
export const PAGERDUTY_URLS = {
  us: 'https://events.pagerduty.com/v2/enqueue',
  eu: 'https://events.eu.pagerduty.com/v2/enqueue',
} as const;

/** `routingKey`: the integration key of the service, 32 characters. */
export function pagerDutyEvent(
  news: AlarmNews,
  about: { readonly environment: string; readonly severity: Severity },
  routingKey: string,
): object {
  // One alarm, one incident: the ARN is one in the world, and our names fit into the limit where an ARN does not.
  const dedup = news.arn.length > 0 && news.arn.length <= KEY_LIMIT ? news.arn : news.name.slice(0, KEY_LIMIT);
  const head = { routing_key: routingKey, dedup_key: dedup };
  if (news.state === 'OK') return { ...head, event_action: 'resolve' };
  const [meaning = ''] = news.description.split('\n');
  return {
    ...head,
    event_action: 'trigger',
    client: 'Holdfast',
    payload: {
      summary: cut(`${news.name}: ${meaning === '' ? news.reason : meaning}`, SUMMARY_LIMIT),
      source: `holdfast/${about.environment}`,
      severity: SEVERITY_OF[about.severity],
      ...given({ timestamp: news.at }),
      component: 'holdfast',
      group: about.environment,
      class: news.name,
      custom_details: { description: news.description, reason: news.reason },
    },
  };
}
