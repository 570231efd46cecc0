/** `holdfast prove --env <environment>`: deploys an environment of its own, sends, breaks, compares, and removes all of it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { Deployment } from '#core/config/deployment.ts';
import type { Place as Named } from '#core/names.ts';
import { MINUTE_MS } from '#core/time.ts';
import { choosePort } from '#local/emulator/emulator.ts';
import { ensureEmulatorInstalled } from '#local/emulator/python.ts';
import { type BillFindings, compareBill, lastRun, type RunRecord } from '#local/prove/bill.ts';
import { BREAKS } from '#local/prove/breaks.ts';
import { minutesOf, priceOf, problemsOf, refusalOf, type Share, shareOf, sizeOf } from '#local/prove/guard.ts';
import { openPlace, type Place } from '#local/prove/place.ts';
import { type Findings, judgeFindings, renderReport } from '#local/prove/report.ts';
import { breakStage, mendAll, proveIt } from '#local/prove/run.ts';
import { removeStacks, stacksOf } from '#local/prove/stacks.ts';
import { untilInterrupted } from '#local/shell/interruption.ts';
import type { Progress } from '#local/shell/progress.ts';
import { UserError } from '#local/shell/user-error.ts';
import { HOLDFAST_DIRECTORY } from '#local/shell/workspace.ts';
import { sendHttp } from '#operator/aws/send-http.ts';

export interface ProveOptions {
  readonly deployment: Deployment;
  readonly short: boolean;
  readonly maxDollars: number;
  /** Of the local AWS. */
  readonly port?: string;
  readonly progress: Progress;
  /** Told what it will take. Throws where the answer is no. */
  confirm(question: string): Promise<void>;
}

export interface ProveResult {
  readonly held: readonly string[];
  readonly differs: readonly string[];
  readonly notShown: readonly string[];
  /** The file, from here. */
  readonly report: string;
}

/** Throws UserError, before anything is changed, where it may not run; in the end all that it made is gone. */
export async function prove(options: ProveOptions): Promise<ProveResult> {
  const { deployment, progress } = options;
  const { environment } = deployment.config;
  const problems = problemsOf(deployment);
  if (problems.length > 0) throw new UserError(`Nothing was done:\n${problems.map(each => `- ${each}`).join('\n')}`, 2);
  const port = choosePort(options.port);
  const { ended, interrupted } = untilInterrupted();
  if (deployment.emulated) await ensureEmulatorInstalled();
  const place = await openPlace(deployment, port);
  try {
    const refusal = refusalOf(environment, await stacksOf(place.clients.cloudFormation, deployment.config));
    if (refusal !== undefined) throw new UserError(refusal);
    const share = await agree(options, place);
    await remove(place, deployment.config, share, progress, 'Remove what an earlier run left');
    let findings: Findings;
    try {
      findings = await Promise.race([deployAndProve(options, place, share), interrupted]);
    } finally {
      if (ended.signal.aborted) progress.line('\n  Stopping: what it made is removed');
      await remove(place, deployment.config, share, progress, 'Remove what it made');
    }
    return await save(findings, place.emulated);
  } finally {
    await place.close();
  }
}

/** Says what it takes and costs, and asks. */
async function agree(options: ProveOptions, place: Place): Promise<Share> {
  const { deployment, short, maxDollars, progress } = options;
  const { environment } = deployment.config;
  const { AccountLimit = {}, AccountUsage = {} } = await place.clients.lambda.send(new GetAccountSettingsCommand({}));
  const free = AccountLimit.UnreservedConcurrentExecutions ?? 0;
  const share = shareOf(free);
  if (typeof share === 'string') throw new UserError(share);
  const size = sizeOf(place.emulated, short);
  const price = priceOf(size);
  const waits = BREAKS.reduce((sum, each) => sum + (place.emulated ? each.localHoldMs : each.holdMs), 0);
  progress.line(`
It deploys ${environment} to ${place.name}, sends ${size.events.toLocaleString('en')} events and ${size.customers * size.messages} messages to customers, breaks ${BREAKS.length} things, compares, and removes all of it.
About $${price.toFixed(2)} (predicted from list prices) and ${minutesOf(size, waits, share, place.emulated)} minutes.
It keeps ${share.ingest + share.process + share.prove} of the ${free} functions that may run at once beside what is reserved; the account's ${AccountUsage.FunctionCount ?? 0} functions share the rest. All of the account in this region share API Gateway's 10,000 requests a second with it.
`);
  if (price > maxDollars)
    throw new UserError(
      `Nothing was changed: that is more than --max-dollars ${maxDollars}. Try --short, or allow more.`,
    );
  if (!place.emulated) await options.confirm(`Prove it in ${environment}?`);
  return share;
}

async function deployAndProve(options: ProveOptions, place: Place, share: Share): Promise<Findings> {
  const { deployment, maxDollars, short, progress } = options;
  await place.deploy(progress);
  const run = Date.now().toString(36);
  const size = sizeOf(place.emulated, short);
  return await proveIt({ place, deployment, size, share, maxDollars, run, progress });
}

/** What is broken is mended first: CloudFormation would stumble over some of it. */
async function remove(place: Place, named: Named, share: Share, progress: Progress, title: string) {
  const ours = (await stacksOf(place.clients.cloudFormation, named)).some(each => each.isOurs);
  if (!ours) return;
  await progress.step(title, async () => {
    await mendAll(await breakStage(place, named, share));
    await removeStacks(place.clients, named);
    await place.forget();
  });
}

/** What AWS billed for the last run, a day later. Throws UserError where there is none, or where it would be too early. */
export async function proveBill({ config, emulated }: Deployment, now: () => number): Promise<BillFindings> {
  const { environment } = config;
  if (emulated) throw new UserError(`Nobody bills the local AWS: ask about a run in an account, not ${environment}`, 2);
  const run = await lastRun(REPORTS, environment);
  const client = new LambdaClient({});
  const costs = { http: sendHttp, credentials: () => client.config.credentials(), now };
  return await compareBill({ ...costs, url: process.env['AWS_ENDPOINT_URL'] }, run);
}

const REPORTS = join(HOLDFAST_DIRECTORY, 'prove');

async function save(findings: Findings, emulated: boolean): Promise<ProveResult> {
  const folder = REPORTS;
  const { environment, at, requests, sending } = findings;
  const file = join(folder, `${environment}-${at.toISOString().slice(0, 19).replaceAll(':', '')}.md`);
  await mkdir(folder, { recursive: true });
  const record: RunRecord = {
    ...{ environment, emulated, requests },
    ...{ startedAt: at.getTime(), endedAt: at.getTime() + findings.minutes * MINUTE_MS },
    deliveries: sending === undefined ? 0 : sending.messages * sending.kinds.length,
  };
  await writeFile(file.replace(/md$/, 'json'), JSON.stringify(record));
  await writeFile(file, renderReport(findings));
  return { ...judgeFindings(findings), report: relative(process.cwd(), file) };
}
