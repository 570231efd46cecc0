/** Mutes as CloudWatch's alarm mute rules: one-time windows, which end by themselves. */
import {
  type CloudWatchClient,
  DeleteAlarmMuteRuleCommand,
  GetAlarmMuteRuleCommand,
  type GetAlarmMuteRuleCommandOutput,
  ListAlarmMuteRulesCommand,
  PutAlarmMuteRuleCommand,
} from '@aws-sdk/client-cloudwatch';
import { MINUTE_MS, parseIso, toIso } from '#core/time.ts';
import type { Mute, Mutes } from '#operator/gateway.ts';
import { found } from './found.ts';

/** Alarms that one rule of CloudWatch names. */
const ALARMS_OF_A_RULE = 100;
const LIVE = ['SCHEDULED', 'ACTIVE'] as const;

export class AlarmMutes implements Mutes {
  readonly #client: CloudWatchClient;
  readonly #prefix: string;

  /** @param prefix Of the alarms' names: `holdfast-prod-`. */
  constructor(client: CloudWatchClient, prefix: string) {
    this.#client = client;
    this.#prefix = `${prefix}mute-`;
  }

  async list(): Promise<readonly Mute[]> {
    const mutes = new Map<string, Mute>();
    for (const name of await this.#names(LIVE)) {
      const rule = await this.#read(name);
      if (rule === undefined) continue;
      const from = parseIso(/^at\((.+)\)$/.exec(rule.Rule?.Schedule?.Expression ?? '')?.[1] ?? '') ?? 0;
      const id = this.#idOf(name);
      const before = mutes.get(id)?.alarms ?? [];
      const alarms = [...before, ...(rule.MuteTargets?.AlarmNames ?? [])];
      const [, why = '', by = ''] = /^([\s\S]*)\nby (.*)$/.exec(rule.Description ?? '') ?? [];
      mutes.set(id, { id, by, why, from, until: Number(rule.ExpireDate ?? from), alarms });
    }
    return [...mutes.values()];
  }

  async begin({ id, by, why, from, until, alarms }: Mute): Promise<void> {
    const begun: string[] = [];
    try {
      for (let n = 0; n * ALARMS_OF_A_RULE < alarms.length; n += 1) {
        const Name = `${this.#prefix}${id}-${n}`;
        begun.push(Name);
        await this.#client.send(
          new PutAlarmMuteRuleCommand({
            Name,
            Description: `${why}\nby ${by}`,
            Rule: {
              Schedule: {
                Expression: `at(${toIso(from).slice(0, 16)})`,
                Duration: `PT${(until - from) / MINUTE_MS}M`,
                Timezone: 'UTC',
              },
            },
            MuteTargets: { AlarmNames: alarms.slice(n * ALARMS_OF_A_RULE, (n + 1) * ALARMS_OF_A_RULE) },
            ExpireDate: new Date(until),
          }),
        );
      }
    } catch (error) {
      // Of a mute that was not made whole nothing stays.
      for (const name of begun) await this.#delete(name).catch(() => undefined);
      throw error;
    }
    await this.#forgetExpired().catch(() => undefined);
  }

  async end({ id }: Pick<Mute, 'id'>): Promise<void> {
    for (const name of await this.#names(LIVE)) if (this.#idOf(name) === id) await this.#delete(name);
  }

  /** Undefined: somebody deleted it since it was listed. */
  async #read(AlarmMuteRuleName: string): Promise<GetAlarmMuteRuleCommandOutput | undefined> {
    return await found(this.#client.send(new GetAlarmMuteRuleCommand({ AlarmMuteRuleName })));
  }

  /** Rules whose time is over stay until somebody deletes them. They mute nothing: what fails here is tried with the next mute. */
  async #forgetExpired(): Promise<void> {
    for (const name of await this.#names(['EXPIRED'])) await this.#delete(name);
  }

  async #delete(AlarmMuteRuleName: string): Promise<void> {
    await this.#client.send(new DeleteAlarmMuteRuleCommand({ AlarmMuteRuleName }));
  }

  /** Names of our rules: nobody else's are touched. */
  async #names(Statuses: readonly ('SCHEDULED' | 'ACTIVE' | 'EXPIRED')[]): Promise<readonly string[]> {
    const names: string[] = [];
    let NextToken: string | undefined;
    do {
      const page = await this.#client.send(
        new ListAlarmMuteRulesCommand({ Statuses: [...Statuses], ...(NextToken && { NextToken }) }),
      );
      for (const { AlarmMuteRuleArn = '' } of page.AlarmMuteRuleSummaries ?? [])
        names.push(AlarmMuteRuleArn.slice(AlarmMuteRuleArn.lastIndexOf(':') + 1));
      NextToken = page.NextToken;
    } while (NextToken);
    return names.filter(name => this.#idOf(name) !== '').sort();
  }

  #idOf(name: string): string {
    const rest = name.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : '';
    return /^([0-9a-f]{8})-\d+$/.exec(rest)?.[1] ?? '';
  }
}
