/**
 * Amazon's DynamoDB Local and ElasticMQ from Maven Central, on free loopback ports: judges of our memory adapters that
 * we did not write. Fetched once into `.holdfast/java/`, started by the test file that needs one, stopped with it.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '#test/kit/servers/free-port.ts';

const run = promisify(execFile);
const HERE = dirname(fileURLToPath(import.meta.url));
const CACHE = join(HERE, '../../../.holdfast/java');

const SERVICES = {
  'dynamodb-local': { group: 'com.amazonaws', artifact: 'DynamoDBLocal', version: '2.6.1' },
  elasticmq: { group: 'org.elasticmq', artifact: 'elasticmq-server_3', version: '1.7.1' },
} as const;
type Service = keyof typeof SERVICES;

const JAVA_HOME = process.env['JAVA_HOME'];
/** For a minute of tests, compiling little and collecting plainly costs half the processor time of the defaults. */
const SHORT_RUN = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'];
const jdkTool = (name: 'java' | 'javac'): string => (JAVA_HOME ? join(JAVA_HOME, 'bin', name) : name);

export interface JavaService {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Why the Java services cannot run here, or undefined when they can. Throws instead when `CI=true`: there they must. */
export async function javaMissing(): Promise<string | undefined> {
  const problem = await findProblem();
  if (problem === undefined) return undefined;
  if (process.env['CI'] === 'true')
    throw new Error(`${problem}; install a JDK 17 or later and Maven: CI requires them`);
  console.warn(`Skipped the suites on DynamoDB Local and ElasticMQ: ${problem}`);
  return problem;
}

async function findProblem(): Promise<string | undefined> {
  try {
    const { stderr, stdout } = await run(jdkTool('javac'), ['-version']);
    const version = Number(/javac (\d+)/.exec(stdout + stderr)?.[1]);
    if (!(version >= 17)) return `javac is version ${version}; 17 or later is needed`;
  } catch {
    return 'there is no JDK (javac)';
  }
  if (Object.keys(SERVICES).every(service => existsSync(folderOf(service as Service)))) return undefined;
  try {
    await run('mvn', ['-version']);
    return undefined;
  } catch {
    return 'there is no Maven (mvn) to fetch them with';
  }
}

/** Starts DynamoDB Local: in memory, or with its file in `folder`. */
export async function startDynamoDbLocal(folder?: string): Promise<JavaService> {
  const jars = await fetchService('dynamodb-local');
  const port = await freePort();
  const launcher = join(HERE, 'java/LoopbackDynamoDb.java');
  const place = folder === undefined ? ['-inMemory'] : ['-dbPath', folder];
  const args = [
    ...SHORT_RUN,
    '-Xmx384m',
    `-Djava.library.path=${jars}`,
    '-cp',
    `${jars}/*`,
    launcher,
    String(port),
    ...place,
  ];
  return start('DynamoDB Local', args, port);
}

/** Starts ElasticMQ with the limits of SQS: in memory, or with its messages in files of `folder`. */
export async function startElasticMq(folder?: string): Promise<JavaService> {
  const jars = await fetchService('elasticmq');
  const port = await freePort();
  const settings = {
    'node-address.host': '127.0.0.1',
    'node-address.port': port,
    'rest-sqs.enabled': true,
    'rest-sqs.bind-hostname': '127.0.0.1',
    'rest-sqs.bind-port': port,
    'rest-sqs.sqs-limits': 'strict',
    'rest-stats.enabled': false,
    'pekko.loglevel': 'ERROR',
    ...(folder === undefined
      ? {}
      : { 'messages-storage.enabled': true, 'messages-storage.uri': `jdbc:h2:${join(folder, 'messages')}` }),
  };
  const properties = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);
  return start(
    'ElasticMQ',
    [...SHORT_RUN, '-Xmx256m', ...properties, '-cp', `${jars}/*`, 'org.elasticmq.server.Main'],
    port,
  );
}

function folderOf(service: Service): string {
  return join(CACHE, `${service}-${SERVICES[service].version}`);
}

/** The jars of a service and all it needs, through Maven's own client. */
async function fetchService(service: Service): Promise<string> {
  const folder = folderOf(service);
  if (existsSync(folder)) return folder;
  const { group, artifact, version } = SERVICES[service];
  mkdirSync(CACHE, { recursive: true });
  const work = mkdtempSync(join(CACHE, 'fetch-'));
  const pom = join(work, 'pom.xml');
  writeFileSync(
    pom,
    `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>local</groupId><artifactId>${service}</artifactId><version>1</version><packaging>pom</packaging><dependencies>
<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>
</dependencies></project>`,
  );
  const jars = join(work, 'jars');
  const fetching = ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`];
  // Twice: what a cut connection left out is fetched then.
  await run('mvn', fetching).catch(() => run('mvn', fetching));
  try {
    renameSync(jars, folder);
  } catch (error) {
    // Another test file may have been faster.
    if (!existsSync(folder)) throw error;
  }
  rmSync(work, { recursive: true, force: true });
  return folder;
}

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

async function start(name: string, args: readonly string[], port: number): Promise<JavaService> {
  const child = spawn(jdkTool('java'), [...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  let output = '';
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString('utf8')).slice(-4_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const url = `http://127.0.0.1:${port}`;
  for (let waitedMs = 0; !(await answersHttp(url)); waitedMs += 100) {
    if (child.exitCode !== null || waitedMs > 60_000) {
      child.kill('SIGKILL');
      throw new Error(`${name} did not start on port ${port}:\n${output}`);
    }
    await sleep(100);
  }
  return {
    url,
    pid: child.pid ?? 0,
    stop: () =>
      new Promise(resolve => {
        children.delete(child);
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
}

/** True as soon as something answers HTTP there. */
export async function answersHttp(url: string): Promise<boolean> {
  try {
    await fetch(url, { signal: AbortSignal.timeout(1_000) });
    return true;
  } catch {
    return false;
  }
}
