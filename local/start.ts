/** `npm start`: the real stacks on this machine, with signed events really sent through them. */
import { userInfo } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '#adapters/system.ts';
import type { Deployment } from '#core/config/deployment.ts';
import { toEventId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import type { AlarmChange } from '#local/alarms/alarms.ts';
import { JudgedAlarms } from '#local/alarms/judged-alarms.ts';
import type { Page } from '#local/alarms/pager.ts';
import { type AwsClients, createAwsClients } from '#local/emulator/aws-clients.ts';
import { assertPortIsFree, choosePort, environmentOf, type LocalAws, openLocalAws } from '#local/emulator/emulator.ts';
import { openFrontDoor } from '#local/emulator/front-door.ts';
import { assertRunning } from '#local/emulator/has-ended.ts';
import { ensureEmulatorInstalled, isEmulatorInstalled } from '#local/emulator/python.ts';
import { describeChange, describeRefused, describeTimeline } from '#local/follow/describe-event.ts';
import { followGateway } from '#local/follow/follow-gateway.ts';
import type { SentMail } from '#local/follow/follow-mails.ts';
import { readDeployment, reread } from '#local/project/sources.ts';
import { fillLocalSecrets } from '#local/project/stored-secrets.ts';
import {
  describeDeliveries,
  describeReceived,
  makeCustomer,
  type OutboundSampleResult,
  runOutboundSample,
  type SampleCustomer,
} from '#local/sample/outbound-sample.ts';
import type { ReceivedWebhook } from '#local/sample/receiver.ts';
import { chooseSampleSources, runSample, type SampleResult, signSample } from '#local/sample/sample-run.ts';
import { untilInterrupted } from '#local/shell/interruption.ts';
import { type Progress, paint, terminalProgress } from '#local/shell/progress.ts';
import { FLAG, readArguments } from '#local/shell/read-arguments.ts';
import { runMain } from '#local/shell/run-main.ts';
import { LOCAL_ENVIRONMENT } from '#local/shell/workspace.ts';
import { deployStacks } from '#local/stacks/deploy-stacks.ts';
import type { DeployedSourceUrl } from '#local/stacks/deployed-here.ts';
import type { DeployedStack } from '#local/stacks/deployed-stack.ts';
import { findGateway, type GatewayAddress, outputOf } from '#local/stacks/gateway-address.ts';
import { redeployChanges } from '#local/stacks/redeploy-changes.ts';
import { openGateway } from '#operator/aws/open-gateway.ts';
import { portalLink } from '#operator/customers/portal-links.ts';
import type { DeliveryApi } from '#operator/delivery-api.ts';
import { Operator } from '#operator/operator.ts';
import type { RefusedRequest } from '#operator/refused/refused.ts';
import { formatCurl } from '#operator/sources/curl-command.ts';

const PROGRAM = 'npm run holdfast --';
const PORTAL_LINK = { readOnly: false, seconds: 3_600 };
const USAGE = `Usage: npm start -- [--once] [--watch] [--open] [--port <number>]
  --watch  put what you edit into the local AWS: a handler within seconds
  --once   exit after the sample events: 0 when they completed, 1 when not
  --open   open the console in the browser
  --port   port of the local AWS (default 4566, or HOLDFAST_PORT)
With AWS_ENDPOINT_URL set, that local AWS is used instead of starting one.`;

async function main(): Promise<number> {
  const { once, watch, open, port, help } = readOptions();
  if (help) {
    console.log(USAGE);
    return 0;
  }
  const { ended, interrupted } = untilInterrupted();

  const progress = terminalProgress();
  progress.line(`\n${paint('bold', 'Holdfast')} on this machine: the real stacks on a local AWS\n`);
  let aws: LocalAws | undefined;
  try {
    aws = await Promise.race([openAws(port, progress), interrupted]);
    const judged = new JudgedAlarms();
    const operator = operatorOf(aws, judged);
    const run = startAndSample(aws, operator, progress, ended.signal, !once);
    const { clients, stacks, results, sending } = await Promise.race([run, interrupted]);
    const failed = results.filter(result => !result.succeeded);
    for (const { problem } of failed) console.error(paint('red', problem ?? ''));
    if (once) {
      const done = results.length - failed.length;
      progress.line(`\n${done} of ${results.length} sample events completed\n`);
      return failed.length === 0 && results.length > 0 ? 0 : 1;
    }

    const page = await openConsole(operator);
    if (sending) showCustomer(sending, progress);
    if (page) progress.line(`\n${paint('bold', 'Console')}\n\n  ${paint('cyan', page.url)}`);
    if (open) page?.open();
    showNextCommands(aws, progress, sending?.apiUrl);
    progress.line(`\n${paint('bold', 'Events')} as they come ${paint('dim', '(Ctrl-C ends everything)')}\n`);
    const door = await openFrontDoor(findGateway(aws, stacks).url, Number(new URL(aws.endpoint).port) + 1);
    if (door) {
      const about = 'the webhooks alone, for stripe listen, gh webhook forward and tunnels';
      progress.line(
        `  ${paint('dim', 'also at')} ${paint('cyan', `${door.url}/webhooks/<source>`)}  ${paint('dim', about)}\n`,
      );
    }
    if (watch) {
      const functionName = outputOf(stacks, 'ProcessFunction');
      redeployChanges({ aws, environment: LOCAL_ENVIRONMENT, functionName }, progress, ended.signal);
    }
    const shown = {
      event: (item: EventItem) => progress.line(describeChange(item)),
      refused: (request: RefusedRequest) => progress.line(describeRefused(request)),
      alarm: (change: AlarmChange) => showAlarm(change, progress),
      page: (message: Page) => showPage(message, page?.url, progress),
      mail: (mail: SentMail) => showMail(mail, progress),
      deployed: (added: readonly DeployedSourceUrl[], removed: readonly DeployedSourceUrl[]) =>
        showDeployed(added, removed, findGateway(aws as LocalAws, stacks), progress),
    };
    const gateway = await operator.gateway();
    await followGateway({ aws, clients, stacks, gateway, judged }, shown, ended.signal);
    return 0;
  } catch (error) {
    if (aws && !ended.signal.aborted) await assertRunning(aws);
    throw error;
  } finally {
    if (ended.signal.aborted) progress.line('\n  Stopping …');
    // Whatever still runs ends with the process; a hanging stop must not keep it.
    await Promise.race([aws?.stop(), wait(10_000, undefined, { ref: false })]);
  }
}

/** Undefined where it is not installed: the package has no page yet. */
async function openConsole(operator: Operator): Promise<{ readonly url: string; open(): void } | undefined> {
  try {
    const { startConsole } = await import('#console/server/start-console.ts');
    return await startConsole({ operator, readOnly: false, program: PROGRAM });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'ERR_PACKAGE_IMPORT_NOT_DEFINED') return undefined;
    throw error;
  }
}

/** Who looks at this local AWS, here and on the console's page. */
function operatorOf(aws: LocalAws, judged: JudgedAlarms): Operator {
  const env = { ...process.env, ...environmentOf(aws) };
  return new Operator({
    environment: LOCAL_ENVIRONMENT,
    clock: systemClock,
    by: process.env['HOLDFAST_BY'] ?? userInfo().username,
    program: PROGRAM,
    readDeployment,
    reread,
    openGateway: async deployment => ({
      ...(await openGateway(deployment, env)),
      alarmGraph: name => Promise.resolve(judged.graph(name, systemClock.now())),
    }),
  });
}

function readOptions() {
  const options = {
    once: FLAG,
    watch: FLAG,
    open: FLAG,
    port: { type: 'string' },
    help: { ...FLAG, short: 'h' },
  } as const;
  const { values } = readArguments({ options }, USAGE);
  return { ...values, port: choosePort(values.port) };
}

async function openAws(port: number, progress: Progress): Promise<LocalAws> {
  if (!process.env['AWS_ENDPOINT_URL'] && !(await isEmulatorInstalled())) {
    // Nothing of ours can run yet: better known before the minute of the installation than after it.
    await assertPortIsFree(port);
    await progress.step('Install the local AWS into .holdfast/ (first time only)', () => ensureEmulatorInstalled());
  }
  return await progress.step('Start the local AWS', async note => {
    const aws = await openLocalAws(port);
    const origin = { started: '', shared: ', already running', given: ', from AWS_ENDPOINT_URL' }[aws.origin];
    note(`${aws.endpoint}${origin}`);
    return aws;
  });
}

interface Running {
  readonly clients: AwsClients;
  readonly stacks: readonly DeployedStack[];
  readonly results: readonly Pick<SampleResult, 'succeeded' | 'problem'>[];
  /** Absent: `outbound` is not configured. */
  readonly sending: Sending | undefined;
}

/** Webhooks to customers, on this machine. */
interface Sending {
  readonly customer: SampleCustomer;
  readonly apiUrl: string;
  readonly result: OutboundSampleResult;
  /** Opens the portal as this customer. Absent: there is no portal. */
  readonly portal?: string;
}

/** `stays`: the local AWS is still there afterwards, so that a command to paste makes sense. */
async function startAndSample(
  aws: LocalAws,
  operator: Operator,
  progress: Progress,
  signal: AbortSignal,
  stays: boolean,
): Promise<Running> {
  const { deployment } = operator;
  const clients = createAwsClients(aws);
  const stacks = await deployStacks(aws, clients, progress);
  const secrets = await progress.step('Give each source a secret', () => fillLocalSecrets(clients.secrets, deployment));
  const gateway = findGateway(aws, stacks);

  showSources(deployment, gateway, progress);
  const sources = chooseSampleSources(deployment, secrets);
  const results: SampleResult[] = [];
  for (const source of sources) {
    const send = async (note: (text: string) => void): Promise<SampleResult> => {
      const sent = await runSample(operator, source, signal);
      note(`answered ${sent.answer.status} in ${Math.round(sent.answer.ms)} ms`);
      return sent;
    };
    const result = await progress.step(`Send a signed ${source.spec.title} event`, send, it => it.succeeded);
    results.push(result);
    if (result.item) {
      progress.line(`    ${paint('bold', result.item.eventType)}  ${paint('dim', toEventId(result.item.pk))}`);
      for (const line of describeTimeline(result.item)) progress.line(line);
    }
  }
  const { outbound } = deployment.config;
  const sending = outbound ? await sampleOutbound(aws, operator, progress, signal) : undefined;
  const first = stays ? sources[0] : undefined;
  const sample = first && signSample(first, secrets.get(first.id) ?? '');
  if (first && sample) {
    progress.line(
      `\n${paint('bold', 'Send one yourself')} ${paint('dim', '(the signature is valid for five minutes)')}\n`,
    );
    const url = `${gateway.url}${first.paths[0]}${sample.query}`;
    progress.line(`  ${formatCurl(url, sample.headers, Buffer.from(sample.body).toString('utf8'))}`);
  }
  const all = [...results, ...(sending ? [sending.result] : [])];
  const shown = { clients, stacks, results: all };
  if (!sending || !stays || outbound?.portal === undefined) return { ...shown, sending };
  const { url } = await portalLink(operator, sending.customer.app, PORTAL_LINK);
  return { ...shown, sending: { ...sending, portal: url } };
}

/** A message to a customer's endpoints: a failed attempt, its retry and the success. */
async function sampleOutbound(
  aws: LocalAws,
  operator: Operator,
  progress: Progress,
  signal: AbortSignal,
): Promise<Sending> {
  const open = async (): Promise<{ api: DeliveryApi; customer: SampleCustomer }> => {
    const gateway = await operator.gateway();
    const api = await gateway.delivery();
    // Each run has a receiver of its own; one that joined must not take the deliveries of the first.
    const uid = aws.origin === 'shared' ? `sample-${process.pid}` : 'sample';
    const live = (received: ReceivedWebhook): void => {
      if (shown) progress.line(describeReceived(received));
    };
    return { api, customer: await makeCustomer(api, { uid, onRequest: live }) };
  };
  let shown = false;
  const { api, customer } = await progress.step('Make a customer with three endpoints', open);
  const send = () => runOutboundSample(operator, api, customer, signal);
  const result = await progress.step('Publish a message to them', send, it => it.succeeded);
  for (const line of describeDeliveries(customer, result)) progress.line(line);
  shown = true;
  return { customer, result, apiUrl: api.url };
}

function showCustomer({ customer: { app, receiver, names }, apiUrl, portal }: Sending, progress: Progress): void {
  progress.line(
    `\n${paint('bold', 'Customer')} ${paint('dim', `${app}, endpoints ${[...names.values()].join(', ')}`)}\n`,
  );
  const line = (url: string, about: string): void => progress.line(`  ${paint('cyan', url)}  ${paint('dim', about)}`);
  line(receiver.url, 'its receiver; a wrong path lists what it can do');
  line(apiUrl, 'the delivery API: applications, endpoints, messages');
  if (portal === undefined) return;
  const another = `another link: ${PROGRAM} out portal ${app}`;
  line(portal, `\n    what the customer sees, for ${PORTAL_LINK.seconds / 60} minutes; ${another}`);
}

function showSources(deployment: Deployment, gateway: GatewayAddress, progress: Progress): void {
  progress.line(`\n${paint('bold', 'Webhook URLs')}\n`);
  for (const { source } of deployment.sources) {
    for (const path of source.paths)
      progress.line(`  ${source.id.padEnd(18)} ${paint('cyan', `${gateway.url}${path}`)}`);
  }
  progress.line();
}

/** Outputs say the API's own host name; on this machine its address is another. */
function showDeployed(
  added: readonly DeployedSourceUrl[],
  removed: readonly DeployedSourceUrl[],
  gateway: GatewayAddress,
  progress: Progress,
): void {
  progress.line(`  ${paint('dim', 'Deployed: events and alarms are those of what runs now')}`);
  for (const { id, url } of added)
    progress.line(`  ${id.padEnd(18)} ${paint('cyan', `${gateway.url}${pathOf(url)}`)}  ${paint('green', 'new')}`);
  for (const { id } of removed) progress.line(`  ${id.padEnd(18)} ${paint('dim', 'no longer there')}`);
}

function pathOf(url: string): string {
  return /\/webhooks?(?:\/.*)?$/.exec(url)?.[0] ?? '';
}

/** Alarms that come and go; the first look at a healthy one is no news. */
function showAlarm({ name, from, to, reason }: AlarmChange, progress: Progress): void {
  if (to !== 'ALARM' && from !== 'ALARM') return;
  const state = to === 'ALARM' ? paint('red', 'ALARM') : paint('green', to);
  progress.line(
    `  ${paint('dim', new Date().toISOString().slice(11, 19))}  ${state.padEnd(5)} ${name} ${paint('dim', reason)}`,
  );
}

/**
 * What somebody on call gets when an alarm fires, as a mailbox would show it. `consoleUrl`: with the token, so that the link
 * opens in any browser of this machine.
 */
function showPage({ alarm, state, text }: Page, consoleUrl: string | undefined, progress: Progress): void {
  if (state !== 'ALARM') return;
  const [title = '', ...lines] = text.split('\n');
  progress.line(`\n  ${paint('bold', 'Message to on-call')}\n    ${paint('red', title)}`);
  for (const line of lines) progress.line(`    ${line}`);
  if (consoleUrl !== undefined)
    progress.line(`    On the console: ${paint('cyan', consoleUrl.replace('/#', `${screenOf(alarm)}#`))}`);
}

/** Nobody gets it but this screen. Its links work. */
function showMail({ from, to, subject, text }: SentMail, progress: Progress): void {
  progress.line(`\n  ${paint('bold', `Mail to ${to.join(', ')}`)} ${paint('dim', `from ${from}`)}\n    ${subject}`);
  for (const line of text.trim().split('\n')) progress.line(line === '' ? '' : `    ${paint('dim', line)}`);
  progress.line();
}

/** Of the console: what died, or the alarm itself. */
function screenOf(alarm: string): string {
  return alarm.includes('-dead-letter') ? '/dead' : `/alarms?name=${encodeURIComponent(alarm)}`;
}

/** `deliveryApi`: where webhooks are sent to customers, too. */
function showNextCommands(aws: LocalAws, progress: Progress, deliveryApi: string | undefined): void {
  progress.line(`\n${paint('bold', 'Next')}\n`);
  const line = (command: string, about: string): void =>
    progress.line(`  ${command.padEnd(34)} ${paint('dim', about)}`);
  line('npm run holdfast -- send stripe', 'send a signed sample event');
  line('npm run holdfast -- events ls', 'what arrived, and what happened to it');
  line('npm run holdfast -- status', 'rates, backlog, dead letters, alarms on one screen');
  if (deliveryApi !== undefined)
    line('npm run holdfast -- out status', "which customers' endpoints do not get their webhooks");
  line('npm test', 'types, configuration, your tests');
  line('npm run synth', 'the CloudFormation templates of every environment');
  line('npm run deploy -- local', 'your changes into what runs here; npm start -- --watch does it by itself');
  line('npm run deploy -- dev', 'the same stacks in your AWS account');
  const { accessKeyId, secretAccessKey } = aws.credentials;
  const variables = `AWS_ENDPOINT_URL=${aws.endpoint} AWS_REGION=${aws.region} AWS_DEFAULT_REGION=${aws.region} AWS_ACCESS_KEY_ID=${accessKeyId} AWS_SECRET_ACCESS_KEY=${secretAccessKey}${deliveryApi === undefined ? '' : ` DELIVERY_API_URL=${deliveryApi}`}`;
  progress.line(`\n  ${paint('dim', 'For the AWS CLI and SDKs in another terminal:')}\n  export ${variables}`);
}

await runMain(main);
