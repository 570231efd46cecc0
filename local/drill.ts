/** `npm run drill -- <name>`: reproduces an incident on the local AWS, and fixes it as the runbook says. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MINUTE_MS } from '#core/time.ts';
import { runAlarms } from '#local/alarms/alarms.ts';
import { Pager } from '#local/alarms/pager.ts';
import { backlog } from '#local/drills/backlog.ts';
import { badSecret } from '#local/drills/bad-secret.ts';
import { deadLetter } from '#local/drills/dead-letter.ts';
import type { Drill } from '#local/drills/drill.ts';
import { DrillStage } from '#local/drills/drill-stage.ts';
import { EXERCISES } from '#local/drills/exercises.ts';
import { type Exercise, playHandsOn } from '#local/drills/hands-on.ts';
import { processorDown } from '#local/drills/processor-down.ts';
import { silentSource } from '#local/drills/silent-source.ts';
import { Transcript } from '#local/drills/transcript.ts';
import { createAwsClients } from '#local/emulator/aws-clients.ts';
import { choosePort, environmentOf, type LocalAws, openLocalAws } from '#local/emulator/emulator.ts';
import { ensureEmulatorInstalled } from '#local/emulator/python.ts';
import { readDeployment } from '#local/project/sources.ts';
import { fillLocalSecrets } from '#local/project/stored-secrets.ts';
import { untilInterrupted } from '#local/shell/interruption.ts';
import { terminalProgress } from '#local/shell/progress.ts';
import { FLAG, readArguments } from '#local/shell/read-arguments.ts';
import { runMain } from '#local/shell/run-main.ts';
import { UserError } from '#local/shell/user-error.ts';
import { DRILL_ENVIRONMENT, PROJECT_ROOT } from '#local/shell/workspace.ts';
import { deployStacks } from '#local/stacks/deploy-stacks.ts';
import { outputOf } from '#local/stacks/gateway-address.ts';
import { openGateway } from '#operator/aws/open-gateway.ts';

const DRILLS: readonly Drill[] = [deadLetter, backlog, badSecret, silentSource, processorDown];
const HANDS_ON_LIMIT_MS = 30 * MINUTE_MS;
const USAGE = `Usage: npm run drill -- <name> [--write | --hands-on] [--port <number>]
  <name>    ${DRILLS.map(drill => drill.title).join(', ')}
  --hands-on  break it and show the page; you end it in another terminal, and are told what you did and how long it
            took (half an hour at most)
  --write   write the transcript to test/watch/drills/<name>.txt
  --port    port of the local AWS (default 4566, or HOLDFAST_PORT); one that runs is joined, else one is started`;

async function main(): Promise<number> {
  const { drill, exercise, port, write } = readOptions();
  if (drill === undefined) {
    console.log(USAGE);
    return 0;
  }
  const { ended, interrupted } = untilInterrupted();
  let aws: LocalAws | undefined;
  try {
    await ensureEmulatorInstalled();
    aws = await Promise.race([openLocalAws(port), interrupted]);
    if (exercise) return await Promise.race([playExercise(exercise, aws, ended.signal), interrupted]);
    const transcript = new Transcript(drill.title, aboutOf(drill));
    await Promise.race([play(drill, aws, transcript, ended.signal), interrupted]);
    if (write) {
      const path = join(PROJECT_ROOT, 'test/watch/drills', `${drill.title}.txt`);
      await mkdir(join(path, '..'), { recursive: true });
      await writeFile(path, transcript.toMarkdown());
      console.log(`\nwrote test/watch/drills/${drill.title}.txt`);
    }
    console.log(`\nThe drill ${drill.title} showed everything it should.`);
    return 0;
  } finally {
    ended.abort();
    await Promise.race([aws?.stop(), wait(10_000, undefined, { ref: false })]);
  }
}

interface Options {
  readonly drill: Drill | undefined;
  readonly exercise?: Exercise;
  readonly port: number;
  readonly write: boolean;
}

function readOptions(): Options {
  const options = { 'hands-on': FLAG, write: FLAG, port: { type: 'string' }, help: { ...FLAG, short: 'h' } } as const;
  const { values, positionals } = readArguments({ options, allowPositionals: true }, USAGE);
  const [name, ...others] = positionals;
  const port = choosePort(values.port);
  if (values.help) return { drill: undefined, port, write: false };
  const drill = DRILLS.find(each => each.title === name);
  if (drill === undefined || others.length > 0) {
    const given =
      name === undefined ? 'No drill was named.' : `There is no drill "${positionals.join(' ').slice(0, 60)}".`;
    throw new UserError(`${given}\n${USAGE}`, 2);
  }
  if (!values['hands-on']) return { drill, port, write: values.write };
  const exercise = EXERCISES.find(each => each.title === name);
  if (exercise === undefined || values.write)
    throw new UserError(
      `--hands-on and --write do not go together: --write records what the drill does by itself. Leave one out.\n${USAGE}`,
      2,
    );
  return { drill, exercise, port, write: false };
}

function aboutOf({ title, about }: Drill): string {
  return `${about} Written by \`npm run drill -- ${title} --write\`; ids and times are masked, the minutes of alarms last ten seconds (but for what a schedule reports).`;
}

async function play(drill: Drill, aws: LocalAws, transcript: Transcript, signal: AbortSignal): Promise<void> {
  await drill.play(await openStage(aws, transcript, signal));
}

/** 0: the person ended the incident. */
async function playExercise(exercise: Exercise, aws: LocalAws, signal: AbortSignal): Promise<number> {
  const stage = await openStage(aws, new Transcript(exercise.title, ''), signal);
  const conditions = {
    say: (line: string) => console.log(line),
    sleep: (ms: number) => wait(ms, undefined, { signal }),
    now: Date.now,
    limitMs: HANDS_ON_LIMIT_MS,
  };
  return (await playHandsOn(exercise, stage, conditions)) ? 0 : 1;
}

/** The environment `drill`, deployed, with its alarms judged and its pages taken. */
async function openStage(aws: LocalAws, transcript: Transcript, signal: AbortSignal): Promise<DrillStage> {
  const deployment = readDeployment(DRILL_ENVIRONMENT);
  const clients = createAwsClients(aws);
  const stacks = await deployStacks(aws, clients, terminalProgress(), PROJECT_ROOT, DRILL_ENVIRONMENT);
  const secrets = await fillLocalSecrets(clients.secrets, deployment);
  const gateway = await openGateway(deployment, { ...process.env, ...environmentOf(aws) });
  const pager = await Pager.open(aws, clients, [outputOf(stacks, 'PageTopic'), outputOf(stacks, 'TicketTopic')]);
  const rest = Promise.all([runAlarms(aws, clients, stacks, () => undefined, signal), pager.listen(signal)]);
  rest.catch(() => undefined);
  return new DrillStage({ aws, clients, stacks, gateway, secrets, pager, transcript });
}

await runMain(main);
