import { decodeJsonObject } from '#core/scan/json-object.ts';

/** An alarm as CloudWatch tells it through SNS: "AlarmName", "NewStateValue" and so on, in its JSON. */
export interface AlarmNews {
  readonly name: string;
  readonly arn: string;
  /** `INSUFFICIENT_DATA` is told to nobody: our alarms say what missing data means. */
  readonly state: 'ALARM' | 'OK' | 'INSUFFICIENT_DATA';
  /** Meaning, first command, runbook: a line each. */
  readonly description: string;
  readonly reason: string;
  /** ISO 8601 with `Z`. Absent: not said. */
  readonly at?: string;
}

export type AlarmJson = Readonly<Record<string, unknown>>;

/** The JSON of an alarm; undefined for any other text. */
export function readAlarmJson(message: string): AlarmJson | undefined {
  const value = decodeJsonObject(message);
  return value !== undefined && 'AlarmName' in value ? value : undefined;
}

/**
 * The alarm in a notification. `late`: it comes inside the record with which Lambda tells that `notify` failed three times
 * (destinations for asynchronous invocation: `requestContext.condition`, `requestPayload`).
 */
export function readAlarmNews(message: string): { readonly news: AlarmNews; readonly late: boolean } | undefined {
  const value = decodeJsonObject(message);
  if (value === undefined) return undefined;
  if ('AlarmName' in value) return { news: newsOf(value), late: false };
  const { requestPayload } = value as { requestPayload?: { Records?: readonly { Sns?: { Message?: unknown } }[] } };
  const inner = readAlarmJson(String(requestPayload?.Records?.[0]?.Sns?.Message ?? ''));
  return inner && { news: newsOf(inner), late: true };
}

function newsOf(json: AlarmJson): AlarmNews {
  const text = (key: string): string => String(json[key] ?? '');
  const state = text('NewStateValue');
  const at = text('StateChangeTime').replace(/\+0000$/, 'Z');
  return {
    name: text('AlarmName'),
    arn: text('AlarmArn'),
    state: state === 'ALARM' || state === 'OK' ? state : 'INSUFFICIENT_DATA',
    description: text('AlarmDescription'),
    reason: text('NewStateReason'),
    ...(at === '' ? {} : { at }),
  };
}
