/** What a drill plays on: the deployed environment `drill`, its alarms, its pager, and the commands of on-call. */

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { isEventKey, toEventPk, toSourceId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { readPauses } from '#core/inbound/protocol/pause-source.ts';
import { TimelineReader } from '#core/inbound/search/read-timeline.ts';
import { nameIn } from '#core/names.ts';
import { HOUR_MS } from '#core/time.ts';
import type { Page, Pager } from '#local/alarms/pager.ts';
import type { AwsClients } from '#local/emulator/aws-clients.ts';
import { environmentOf, type LocalAws } from '#local/emulator/emulator.ts';
import { UserError } from '#local/shell/user-error.ts';
import { DRILL_ENVIRONMENT, PROJECT_ROOT } from '#local/shell/workspace.ts';
import type { DeployedStack } from '#local/stacks/deployed-stack.ts';
import type { Gateway } from '#operator/gateway.ts';
import { signAsProvider } from '#operator/sources/sign-as-provider.ts';
import type { Transcript } from './transcript.ts';

const POLL_MS = 300;
/** A command of on-call that has not ended by then waits for something that never comes. */
const COMMAND_LIMIT_MS = 180_000;

export interface StageParts {
  readonly aws: LocalAws;
  readonly clients: AwsClients;
  readonly stacks: readonly DeployedStack[];
  readonly gateway: Gateway;
  readonly secrets: ReadonlyMap<string, string>;
  readonly pager: Pager;
  readonly transcript: Transcript;
}

export class DrillStage {
  readonly transcript: Transcript;
  /** Different in each run: a local AWS that is joined remembers the ids of earlier ones. */
  readonly runId = randomBytes(2).toString('hex');
  readonly #parts: StageParts;
  readonly #documents: DynamoDBDocumentClient;

  constructor(parts: StageParts) {
    this.#parts = parts;
    this.transcript = parts.transcript;
    this.#documents = DynamoDBDocumentClient.from(parts.clients.dynamo);
  }

  /** Fails the drill, saying what did not show. */
  fail(what: string): never {
    throw new UserError(`The drill did not show what it should: ${what}`);
  }

  /**
   * Sends an event of the generic scheme, signed with the source's secret or another one; its answer's status. Throws
   * UserError without the source that takes it.
   */
  async send(name: string, data: Readonly<Record<string, unknown>>, secret?: string): Promise<number> {
    const { apiUrl, deployment, http } = this.#parts.gateway;
    const found = deployment.sources.find(each => each.source.id === 'default');
    if (!found) throw new UserError('This drill needs the source "default" in gateway.config.ts');
    const { source } = found;
    const body = Buffer.from(
      JSON.stringify({
        event_id: this.key(name),
        event_type: 'drill.event',
        created_at: new Date().toISOString(),
        data,
      }),
    );
    const unsigned = { body, headers: { 'content-type': 'application/json' } };
    const key = { secret: secret ?? this.#parts.secrets.get('default') ?? '', nowMs: Date.now() };
    const signed = signAsProvider(source, unsigned, key);
    for (let tries = 1; ; tries += 1) {
      const { status } = await http(`${apiUrl}${source.paths[0]}`, signed);
      // As a provider would: a cold laptop may need a second try.
      if (status !== 503 || tries === 5) return status;
      await wait(500 * tries);
    }
  }

  /** Epoch milliseconds. */
  now(): number {
    return Date.now();
  }

  key(name: string): string {
    return `drill-${this.runId}-${name}`;
  }

  async item(name: string): Promise<EventItem | undefined> {
    const key = this.key(name);
    return isEventKey(key) ? await this.#parts.gateway.store.get(toEventPk(toSourceId('default'), key)) : undefined;
  }

  /** When the newest event of a source arrived, within the last hour (epoch milliseconds). */
  async lastArrival(source: string): Promise<number | undefined> {
    const { store } = this.#parts.gateway;
    const now = Date.now();
    const filter = { sources: [toSourceId(source)], since: now - HOUR_MS, until: now + 1 };
    const [newest] = await new TimelineReader(filter, 'newest', undefined, store).next(1, () => true);
    return newest && (await store.get(newest.pk))?.receivedAt;
  }

  async isPaused(source: string): Promise<boolean> {
    return (await readPauses(this.#parts.gateway.control))[toSourceId(source)] !== undefined;
  }

  /** How often the effect of an event was applied. */
  async timesApplied(name: string): Promise<number> {
    const Key = { id: `drill:evt_default.${this.key(name)}` };
    const found = await this.#documents.send(new GetCommand({ TableName: this.#drills(), Key, ConsistentRead: true }));
    return Number(found.Item?.['timesApplied'] ?? 0);
  }

  /** Puts the row that events with `needs` cannot do without. */
  async putRow(name: string): Promise<void> {
    await this.#documents.send(new PutCommand({ TableName: this.#drills(), Item: { id: `drill:${name}` } }));
  }

  #drills(): string {
    for (const { physicalIds } of this.#parts.stacks) {
      const id = Object.entries(physicalIds).find(([name]) => name.startsWith('HandlersDrills'));
      if (id) return id[1];
    }
    throw new UserError('The environment drill has no table for drills: deploy it with npm run drill');
  }

  /** What somebody does by mistake: nobody takes messages from the queue any more. */
  async disableProcessor(): Promise<void> {
    await this.#parts.gateway.processor.set(false);
  }

  /** Runs a command of on-call as it is typed, shows what it prints, and answers it. */
  async run(
    command: string,
    options: { stdin?: string; codes?: readonly number[]; quiet?: boolean } = {},
  ): Promise<string> {
    const line = `npm run holdfast -- ${command} --env ${DRILL_ENVIRONMENT}`;
    const { code, output } = await this.#spawn(line, options.stdin);
    if (code === undefined)
      this.fail(`"${line}" has not ended after ${COMMAND_LIMIT_MS / 1_000} s. It printed:\n${output}`);
    if (!options.quiet) this.transcript.block(`$ ${line}\n${output}`, 'console');
    if (!(options.codes ?? [0]).includes(code)) this.fail(`"${line}" ended with code ${code}`);
    return output;
  }

  /** Without a code: it was ended, because it took too long. */
  #spawn(line: string, stdin: string | undefined): Promise<{ code: number | undefined; output: string }> {
    const env = {
      ...process.env,
      ...environmentOf(this.#parts.aws),
      NO_COLOR: '1',
      npm_config_loglevel: 'silent',
      npm_config_update_notifier: 'false',
    };
    return new Promise(resolve => {
      // In a group of its own: npm would not pass the end on to the program.
      const child = spawn('bash', ['-c', line], { cwd: PROJECT_ROOT, env, stdio: 'pipe', detached: true });
      const limit = setTimeout(() => {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      }, COMMAND_LIMIT_MS);
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => {
          output += chunk.toString('utf8');
        });
      child.stdin.on('error', () => undefined);
      child.stdin.end(stdin ?? '');
      child.once('close', (code, signal) => {
        clearTimeout(limit);
        resolve({ code: signal === 'SIGKILL' ? undefined : (code ?? 1), output });
      });
    });
  }

  #nameOf(alarm: string): string {
    return nameIn(this.#parts.gateway.deployment.config, alarm);
  }

  /** Waits until the pager has got an alarm's message, newer than `since`, shows it, and answers it. */
  async page(id: string, seconds: number, since = 0): Promise<Page> {
    const alarm = this.#nameOf(id);
    const found = await this.until(seconds, async () =>
      this.#parts.pager.pages.find(page => page.alarm === alarm && page.state === 'ALARM' && page.at > since),
    );
    if (!found) this.fail(`no page of ${alarm} within ${seconds} s; its state is ${await this.stateOf(id)}`);
    this.transcript.block(found.text);
    return found;
  }

  /** Waits until alarms are in OK again. */
  async ok(seconds: number, ...ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const ok = await this.until(seconds, async () => ((await this.stateOf(id)) === 'OK' ? true : undefined));
      if (!ok) this.fail(`${id} is not OK again after ${seconds} s`);
    }
    this.transcript.block(ids.map(id => `OK: ${this.#nameOf(id)}`).join('\n'));
  }

  async stateOf(id: string): Promise<string> {
    const AlarmNames = [this.#nameOf(id)];
    const described = await this.#parts.clients.cloudWatch.send(new DescribeAlarmsCommand({ AlarmNames }));
    return described.MetricAlarms?.[0]?.StateValue ?? 'missing';
  }

  /** The first answer that is not undefined. Fails after this number of seconds. */
  async until<T>(seconds: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
    const deadline = Date.now() + seconds * 1_000;
    for (;;) {
      const seen = await look().catch(() => undefined);
      if (seen !== undefined || Date.now() > deadline) return seen;
      await wait(POLL_MS);
    }
  }

  /** Waits until an event is dead, so that what waits for its alarm does not wait for its handler. */
  async died(name: string, seconds: number): Promise<void> {
    const dead = await this.until(seconds, async () =>
      (await this.item(name))?.status === 'dead_letter' ? true : undefined,
    );
    if (!dead) this.fail(`${name} is not dead after ${seconds} s: it is ${(await this.item(name))?.status}`);
  }

  /** Waits until each event is completed, and sees that its effect happened once. */
  async completedOnce(names: readonly string[], seconds: number): Promise<void> {
    for (const name of names) {
      const item = await this.until(seconds, async () => {
        const seen = await this.item(name);
        return seen?.status === 'completed' ? seen : undefined;
      });
      if (!item) this.fail(`${name} is not completed after ${seconds} s: it is ${(await this.item(name))?.status}`);
      const times = await this.timesApplied(name);
      if (times !== 1) this.fail(`the effect of ${name} happened ${times} times`);
    }
    this.transcript.block(`${names.length} events completed, the effect of each happened once`);
  }
}
