/**
 * 1. What Slack and PagerDuty get passes their published field tables, whatever an alarm says.
 * 2. A trigger and a resolve are one incident; what fails is told to the others, and tried again by Lambda, once round.
 * 3. No error, log line or message names a secret.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jsonPoster } from '#adapters/http/post-json.ts';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import type { AlarmService } from '#core/alarm-service.ts';
import { pagerDutyEvent } from '#core/inbound/watch/pagerduty-event.ts';
import { slackMessage } from '#core/inbound/watch/slack-message.ts';
import { tellServices } from '#core/inbound/watch/tell-services.ts';

const ajv = new Ajv({ allErrors: true });
const schemaOf = (name: string) =>
  ajv.compile(JSON.parse(readFileSync(join('test/fixtures/schemas', `${name}.json`), 'utf8')));
const validSlack = schemaOf('slack-message');
const validPagerDuty = schemaOf('pagerduty-event');

const KEY = 'R0123456789abcdefR0123456789abcd';
const SLACK_PATH = '/services/T000/B000/secretpart';
const ALARM = {
  AlarmName: 'holdfast-prod-process-new-dead-letters',
  AlarmDescription:
    'page: An event has just died.\nFirst: npm run holdfast -- dlq ls --env prod\nRunbook: docs/runbooks/dead-letters.md',
  AWSAccountId: '123456789012',
  NewStateValue: 'ALARM',
  NewStateReason: 'Threshold Crossed: 1 datapoint [3.0] was greater than or equal to the threshold (1.0).',
  StateChangeTime: '2026-11-22T20:15:42.123+0000',
  Region: 'EU (Frankfurt)',
  AlarmArn: 'arn:aws:cloudwatch:eu-central-1:123456789012:alarm:holdfast-prod-process-new-dead-letters',
  OldStateValue: 'OK',
};

/** Both services, answering as their pages say. */
class Services {
  readonly slack: unknown[] = [];
  /** Open incidents by key, and how many events each got. */
  readonly incidents = new Map<string, number>();
  slackStatus = 200;
  readonly #server: Server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    if (request.url === SLACK_PATH) {
      const valid = validSlack(body);
      if (valid) this.slack.push(body);
      response
        .writeHead(valid ? this.slackStatus : 400)
        .end(valid && this.slackStatus === 200 ? 'ok' : 'invalid_payload');
    } else if (request.url === '/v2/enqueue' && validPagerDuty(body)) {
      const { event_action: action, dedup_key: key } = body as { event_action: string; dedup_key: string };
      if (action === 'trigger') this.incidents.set(key, (this.incidents.get(key) ?? 0) + 1);
      else this.incidents.delete(key);
      response.writeHead(202).end(JSON.stringify({ status: 'success', message: 'Event processed', dedup_key: key }));
    } else response.writeHead(400).end(JSON.stringify({ status: 'invalid event', errors: validPagerDuty.errors }));
  });

  async start(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  stop(): void {
    this.#server.close();
  }
}

const slack: AlarmService = { severity: 'page', kind: 'slack', name: 'team', region: 'us' };
const pagerDuty: AlarmService = { severity: 'page', kind: 'pagerDuty', name: 'oncall', region: 'eu' };
let services: Services;
let origin: string;
let telemetry: MemoryTelemetry;
const post = jsonPoster({ ports: [443], ownHosts: [], allowAddresses: ['127.0.0.1'] });
beforeAll(async () => {
  services = new Services();
  origin = await services.start();
});
beforeEach(() => {
  telemetry = new MemoryTelemetry();
  services.slack.length = 0;
  services.incidents.clear();
  services.slackStatus = 200;
});
afterAll(() => services.stop());

function tell(message: unknown, to: readonly AlarmService[] = [slack, pagerDuty]): Promise<void> {
  const secretOf = async ({ kind }: AlarmService) => (kind === 'slack' ? `${origin}${SLACK_PATH}` : KEY);
  const pagerDutyUrls = { us: `${origin}/nowhere`, eu: `${origin}/v2/enqueue` };
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  return tellServices(text, to, { secretOf, post, telemetry }, { environment: 'prod', pagerDutyUrls });
}

describe('an alarm', () => {
  it('is one incident in PagerDuty from trigger to resolve, and a message in Slack for each', async () => {
    await tell(ALARM);
    await tell(ALARM);
    expect([...services.incidents]).toEqual([[ALARM.AlarmArn, 2]]);
    await tell({ ...ALARM, NewStateValue: 'OK' });
    expect(services.incidents.size).toBe(0);
    expect(services.slack).toHaveLength(3);
    expect(services.slack[0]).toMatchInlineSnapshot(`
      {
        "blocks": [
          {
            "text": {
              "text": "ALARM: holdfast-prod-process-new-dead-letters",
              "type": "plain_text",
            },
            "type": "header",
          },
          {
            "text": {
              "text": "\`\`\`page: An event has just died.
      First: npm run holdfast -- dlq ls --env prod
      Runbook: docs/runbooks/dead-letters.md\`\`\`",
              "type": "mrkdwn",
            },
            "type": "section",
          },
          {
            "text": {
              "text": "*Why now:* Threshold Crossed: 1 datapoint [3.0] was greater than or equal to the threshold (1.0).",
              "type": "mrkdwn",
            },
            "type": "section",
          },
          {
            "elements": [
              {
                "text": "prod · page · 2026-11-22T20:15:42.123Z",
                "type": "mrkdwn",
              },
            ],
            "type": "context",
          },
        ],
        "text": "ALARM: holdfast-prod-process-new-dead-letters",
      }
    `);
    expect(JSON.stringify(services.slack[2])).toContain('OK: holdfast-prod-process-new-dead-letters');
    expect(JSON.stringify(services.slack[2])).not.toContain('dlq ls');
  });

  it('says to PagerDuty what broke, where, how bad and since when', () => {
    const news = {
      ...{ name: ALARM.AlarmName, arn: ALARM.AlarmArn, state: 'ALARM' as const, at: '2026-11-22T20:15:42.123Z' },
      ...{ description: ALARM.AlarmDescription, reason: ALARM.NewStateReason },
    };
    const about = { environment: 'prod', severity: 'page' as const };
    expect(pagerDutyEvent(news, about, KEY)).toMatchObject({
      event_action: 'trigger',
      payload: {
        summary: 'holdfast-prod-process-new-dead-letters: page: An event has just died.',
        source: 'holdfast/prod',
        severity: 'critical',
        timestamp: '2026-11-22T20:15:42.123Z',
        custom_details: { description: ALARM.AlarmDescription },
      },
    });
  });

  it('without data, and a text that is no alarm, are told to nobody', async () => {
    await tell({ ...ALARM, NewStateValue: 'INSUFFICIENT_DATA' });
    await tell('You have chosen to subscribe');
    await tell({ hello: 1 });
    expect([services.slack.length, services.incidents.size]).toEqual([0, 0]);
  });
});

describe('a service that does not take it', () => {
  it('keeps nobody else from it, and the error names it, its answer and no secret', async () => {
    services.slackStatus = 500;
    const failing = tell(ALARM);
    await expect(failing).rejects.toThrow(/slack team: .*it answered 500 invalid_payload/);
    await expect(failing).rejects.not.toThrow(/secretpart/);
    expect(services.incidents.size).toBe(1);
    expect(JSON.stringify(telemetry.lines)).toContain('slack team');
    expect(JSON.stringify(telemetry.lines)).not.toContain('secretpart');
  });

  it('is told once more by the record of the failure, which never fails: it would come round forever', async () => {
    const record = { Sns: { Message: JSON.stringify(ALARM) } };
    const failed = { requestContext: { condition: 'RetriesExhausted' }, requestPayload: { Records: [record] } };
    await tell(failed);
    expect([services.slack.length, services.incidents.size]).toEqual([1, 1]);
    services.slackStatus = 500;
    await tell(failed);
    expect(telemetry.lines.filter(each => each.line['stage'] === 'notify')).toHaveLength(1);
  });

  it('at an address inside is not called', async () => {
    const ports = { post: jsonPoster({ ports: [443], ownHosts: [], allowAddresses: [] }), telemetry };
    const inside = { ...ports, secretOf: async () => `${origin}${SLACK_PATH}` };
    await expect(tellServices(JSON.stringify(ALARM), [slack], inside, { environment: 'prod' })).rejects.toThrow(
      /must begin with https/,
    );
    expect(services.slack).toEqual([]);
  });
});

it('passes both schemas whatever an alarm says', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 200 }),
    fc.constantFrom(
      '&'.repeat(3_000),
      '<'.repeat(2_999),
      '```'.repeat(1_500),
      '😀'.repeat(2_000),
      '\ud83d'.repeat(3_001),
      '',
    ),
  );
  const states = fc.constantFrom('ALARM' as const, 'OK' as const);
  const news = fc.record({
    name: fc.string({ minLength: 1, maxLength: 100 }),
    arn: text,
    state: states,
    description: text,
    reason: text,
  });
  const severities = fc.constantFrom('page' as const, 'ticket' as const, 'notice' as const);
  fc.assert(
    fc.property(news, severities, (given, severity) => {
      const about = { environment: 'prod', severity };
      const problems = [
        ...(validSlack(JSON.parse(JSON.stringify(slackMessage(given, about)))) ? [] : (validSlack.errors ?? [])),
        ...(validPagerDuty(JSON.parse(JSON.stringify(pagerDutyEvent(given, about, KEY))))
          ? []
          : (validPagerDuty.errors ?? [])),
      ];
      expect(problems).toEqual([]);
      expect(pagerDutyEvent(given, about, KEY)).toMatchObject({ dedup_key: expect.stringMatching(/./s) });
    }),
    { numRuns: 60 },
  );
});

it('cuts a text that is too long, and no character that Slack wants escaped through the middle', () => {
  const news = { name: 'a', arn: 'b', state: 'ALARM' as const, description: '<&>'.repeat(1_000), reason: '' };
  const { blocks } = slackMessage(news, { environment: 'prod', severity: 'page' });
  const { text } = (blocks[1] as { readonly text: { readonly text: string } }).text;
  expect(text).toMatch(/^```(?:&lt;|&amp;|&gt;){600,}…```$/);
  expect(text.length).toBeGreaterThan(2_990);
});

it('judges by schemas that refuse what the pages refuse', () => {
  expect(validPagerDuty({ routing_key: 'short', event_action: 'trigger' })).toBe(false);
  expect(validPagerDuty({ routing_key: KEY, event_action: 'trigger' })).toBe(false);
  expect(validPagerDuty({ routing_key: KEY, event_action: 'resolve' })).toBe(false);
  expect(validSlack({ text: 'x', blocks: [{ type: 'header', text: { type: 'mrkdwn', text: 'x' } }] })).toBe(false);
  expect(
    validSlack({ text: 'x', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(3_001) } }] }),
  ).toBe(false);
});
