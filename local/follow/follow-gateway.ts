/** What `npm start` shows once everything runs: events, alarms, messages to on-call, and what a deployment changed. */
import { setTimeout as wait } from 'node:timers/promises';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import type { Place } from '#core/names.ts';
import { type AlarmChange, runAlarms } from '#local/alarms/alarms.ts';
import type { JudgedAlarms } from '#local/alarms/judged-alarms.ts';
import { type Page, Pager } from '#local/alarms/pager.ts';
import type { AwsClients } from '#local/emulator/aws-clients.ts';
import type { LocalAws } from '#local/emulator/emulator.ts';
import { keepLocalSecrets } from '#local/project/stored-secrets.ts';
import { type DeployedSourceUrl, deployedSources } from '#local/stacks/deployed-here.ts';
import type { DeployedStack } from '#local/stacks/deployed-stack.ts';
import { outputOf } from '#local/stacks/gateway-address.ts';
import type { EventFeed } from './event-feed.ts';
import { followDeployments } from './follow-deployments.ts';
import { followEvents } from './follow-events.ts';
import { followMails, type SentMail } from './follow-mails.ts';

const KEEP_SECRETS_MS = 5_000;

interface Shown {
  event(item: EventItem): void;
  alarm(change: AlarmChange): void;
  page(page: Page): void;
  mail(mail: SentMail): void;
  /** Sources that the last deployment added and took away. */
  deployed(added: readonly DeployedSourceUrl[], removed: readonly DeployedSourceUrl[]): void;
}

interface Followed {
  readonly aws: LocalAws;
  readonly clients: AwsClients;
  readonly stacks: readonly DeployedStack[];
  readonly feed: EventFeed;
  readonly named: Place;
  /** Told which alarms there are. */
  readonly judged: JudgedAlarms;
}

/** Until aborted. Throws UserError when the local AWS ends meanwhile. */
export async function followGateway(followed: Followed, show: Shown, signal: AbortSignal): Promise<void> {
  const { aws, clients, stacks, feed, named } = followed;
  const { environment } = named;
  const pager = await Pager.open(aws, clients, [outputOf(stacks, 'PageTopic'), outputOf(stacks, 'TicketTopic')]);
  let sources = deployedSources(stacks);
  let alarms = followAlarms(followed, stacks, show, signal);
  const onDeployed = (next: readonly DeployedStack[]): void => {
    // Other sources have other alarms, and a changed threshold is another alarm.
    alarms.stop();
    alarms = followAlarms(followed, next, show, signal);
    const before = sources;
    sources = deployedSources(next);
    const missingIn = (list: readonly DeployedSourceUrl[]) => (each: DeployedSourceUrl) =>
      !list.some(({ id }) => id === each.id);
    show.deployed(sources.filter(missingIn(before)), before.filter(missingIn(sources)));
  };
  await Promise.all([
    followEvents(
      aws,
      feed,
      () => sources.map(({ id }) => id),
      item => show.event(item),
      signal,
    ),
    followDeployments({ aws, environment, client: clients.cloudFormation }, onDeployed, signal),
    pager.listen(signal, page => show.page(page)),
    followMails(aws, mail => show.mail(mail), signal),
    keepSecrets(clients, named, signal),
  ]);
  await alarms.ended;
}

function followAlarms(
  { aws, clients, judged }: Followed,
  stacks: readonly DeployedStack[],
  show: Shown,
  signal: AbortSignal,
) {
  const own = new AbortController();
  const either = AbortSignal.any([signal, own.signal]);
  const ended = runAlarms(aws, clients, stacks, change => show.alarm(change), either, judged);
  return { stop: () => own.abort(), ended };
}

async function keepSecrets(clients: AwsClients, named: Place, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await wait(KEEP_SECRETS_MS, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await keepLocalSecrets(clients.secrets, named);
  }
}
