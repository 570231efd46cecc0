import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { promisify } from 'node:util';
import { Template } from 'aws-cdk-lib/assertions';
import { App } from 'aws-cdk-lib/core';
import { afterAll, describe, expect, it } from 'vitest';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { placeholderBundles } from '#lib/bundling/bundle-functions.ts';
import type { HandlerResources, HandlerResourcesContext } from '#lib/handler-resources.ts';
import { GatewayStage } from '#lib/stacks/gateway-stage.ts';
import { cdkArguments } from '#local/stacks/cdk-arguments.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { handlerResources } from '#test/fixtures/project/handlers/resources.ts';
import { FIXTURE_PROJECT } from '#test/kit/fixture-project.ts';
import { cdkContext, synthEnvironment } from './synth-environment.ts';

const REPOSITORY = join(import.meta.dirname, '../../..');
/** What a person has: a configuration, handlers, and a cdk.json that names the app. */
const PROJECT = FIXTURE_PROJECT;
const run = promisify(execFile);
const ENVIRONMENTS = ['local', 'drill', 'dev', 'staging', 'prod'];
// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Resource = any;

describe('the command line', () => {
  let folders: string[] = [];
  /** A shell that has neither an account nor a region, nor a way to ask for them. */
  const bare = {
    PATH: `${join(REPOSITORY, 'node_modules/.bin')}:${process.env['PATH']}`,
    HOME: '/nonexistent',
    AWS_EC2_METADATA_DISABLED: 'true',
    HTTPS_PROXY: 'http://127.0.0.1:1',
    HTTP_PROXY: 'http://127.0.0.1:1',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    CI: '1',
    NO_COLOR: '1',
  };
  const cdkIn = (cwd: string, args: readonly string[], env = {}) => run('cdk', args, { cwd, env: { ...bare, ...env } });
  const cdk = (args: readonly string[], env = {}) => cdkIn(PROJECT, args, env);
  const synthInto = async (args: readonly string[] = [], env = {}): Promise<{ folder: string; said: string }> => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-synth-'));
    folders.push(folder);
    const { stdout, stderr } = await cdk(['synth', '--quiet', '--output', folder, ...args], env);
    return { folder, said: stdout + stderr };
  };
  afterAll(async () => {
    await Promise.all(folders.map(folder => rm(folder, { recursive: true, force: true })));
    folders = [];
  });

  it('synthesizes every environment without credentials, network or warnings, twice the same bytes', async () => {
    const first = await synthInto();
    expect(first.said).toContain('Successfully synthesized');
    expect(first.said).not.toMatch(/warn|deprecat|notice|error/i);
    for (const name of ['staging', 'prod']) expect(first.said).toContain(`${name} pages nobody`);
    expect(first.said).not.toMatch(/(?:local|drill|dev) pages nobody/);
    // The second time as npm run deploy does it, for one of them: that must be the same as well. The rules have looked.
    const second = await synthInto(['-c', 'environment=prod'], { CDK_VALIDATION: 'false' });
    const files = (await readdir(first.folder, { recursive: true, withFileTypes: true })).filter(entry =>
      entry.isFile(),
    );
    expect(files.filter(file => /(?<!nested)\.template\.json$/.test(file.name))).toHaveLength(2 * ENVIRONMENTS.length);
    expect(files.some(file => file.name === 'index.mjs')).toBe(true);
    for (const file of files.filter(it => it.parentPath.includes('assembly-prod'))) {
      const path = join(file.parentPath, file.name).slice(first.folder.length);
      const same = (await readFile(join(first.folder, path))).equals(await readFile(join(second.folder, path)));
      expect(same, path).toBe(true);
    }
  }, 300_000);

  it('says all that is wrong with a configuration, without a stack trace', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-config-'));
    folders.push(folder);
    const wrong =
      "export const gateway = { sources: { s: { provider: 'strip' } }, environments: { prod: { retention: 1 } } };";
    await writeFile(join(folder, 'gateway.config.ts'), wrong);
    await mkdir(join(folder, 'handlers'));
    await writeFile(join(folder, 'handlers/index.ts'), 'export const handlers = { find: () => undefined };');
    const app = join(REPOSITORY, 'bin/gateway.ts');
    const failed = await run('node', [app], { cwd: folder, env: bare }).catch(e => e);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(
      /^gateway\.config\.ts has 2 problems:\n {2}1\. .*did you mean "stripe".*\n {2}2\. .*retentionDays/,
    );
    expect(failed.stderr).not.toMatch(/\n\s+at /);
  });

  it('says in one sentence what a bundle lacks, and makes no template', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-lacks-'));
    folders.push(folder);
    const config = "export const gateway = { sources: { s: { provider: 'stripe' } }, environments: { prod: {} } };";
    await writeFile(join(folder, 'gateway.config.ts'), config);
    await mkdir(join(folder, 'handlers'));
    // It loads, and would fail in a function, with the first event that needs the part.
    const lazy = "export const handlers = { find: () => undefined,\n  rates: () => import('./rates.ts') };";
    await writeFile(join(folder, 'handlers/index.ts'), lazy);
    const failed = await cdkIn(folder, [
      'synth',
      '--quiet',
      '--app',
      `node ${join(REPOSITORY, 'bin/gateway.ts')}`,
    ]).catch(error => error);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain(
      '\nThe bundle of process cannot be built: handlers/index.ts:2: Could not resolve "./rates.ts". Fix: correct that file, or run npm ci if a package is meant.\n',
    );
    expect(failed.stderr).not.toMatch(/\n\s+at /);
    const made = await readdir(join(folder, 'cdk.out')).catch(() => []);
    expect(made.filter(file => file.endsWith('.template.json'))).toEqual([]);
  });

  it('fails with the right name for a handler of a source that nobody configured, and so does npm test', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-handlers-'));
    folders.push(folder);
    const config =
      "export const gateway = { sources: { stripe: { provider: 'stripe' } }, environments: { prod: {} } };";
    await writeFile(join(folder, 'gateway.config.ts'), config);
    await mkdir(join(folder, 'handlers'));
    const registrations = "[{ source: 'strpe', type: 'invoice.paid' }, { source: 'stripe', type: 'INVOICE_PAID' }]";
    await writeFile(
      join(folder, 'handlers/index.ts'),
      `export const handlers = { find: () => undefined, registrations: ${registrations} };`,
    );
    // `npm test` begins with local/check.ts.
    for (const program of ['bin/gateway.ts', 'local/check.ts']) {
      const failed = await run('node', [join(REPOSITORY, program)], { cwd: folder, env: bare }).catch(e => e);
      expect(failed.code, program).toBe(1);
      expect(failed.stderr).toMatch(/handler of "invoice\.paid".*source "strpe".*did you mean stripe\?/);
      expect(failed.stderr).not.toMatch(/\n\s+at /);
    }
    const corrected = (await readFile(join(folder, 'handlers/index.ts'), 'utf8')).replace('strpe', 'stripe');
    await writeFile(join(folder, 'handlers/index.ts'), corrected);
    const { stdout, stderr } = await run('node', [join(REPOSITORY, 'local/check.ts')], { cwd: folder, env: bare });
    expect(stdout).toContain('gateway.config.ts is right');
    expect(stderr).toMatch(/Warning: the handler of stripe "INVOICE_PAID" never runs: .*"invoice\.paid"/);
    const scripts = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')).scripts;
    expect(scripts).toMatchObject({
      test: expect.stringMatching(/^npm run check && /),
      check: 'node test/kit/runner/check.ts',
    });
    expect(await readFile(join(REPOSITORY, 'test/kit/runner/check.ts'), 'utf8')).toContain("'node local/check.ts'");
  });

  it('lists the stacks to choose from, named after environment and half', async () => {
    const folder = folders[0] ?? (await synthInto()).folder;
    const { stdout } = await cdk(['ls', '--app', folder]);
    expect(stdout.trim().split('\n')).toEqual(
      ENVIRONMENTS.flatMap(name => [
        `${name}/Data (holdfast-${name}-data)`,
        `${name}/Gateway (holdfast-${name}-gateway)`,
      ]),
    );
  });

  it('names the choices when a deploy names none', async () => {
    const folder = folders[0] ?? (await synthInto()).folder;
    const refused = await cdk(['deploy', '--app', folder]).catch(error => error);
    expect(refused.stderr + refused.stdout).toMatch(/specify which stacks to use/);
    expect(refused.stderr + refused.stdout).toMatch(/dev\/Data.*dev\/Gateway/s);
  });

  describe('two environments in one account and region', () => {
    /** All templates of an environment, as the command line made them. */
    const templatesOf = async (environment: string): Promise<Resource[]> => {
      const folder = join(folders[0] ?? (await synthInto()).folder, `assembly-${environment}`);
      const files = (await readdir(folder)).filter(file => file.endsWith('.template.json'));
      return Promise.all(files.map(async file => JSON.parse(await readFile(join(folder, file), 'utf8'))));
    };

    /** Physical names and exports of an environment: what could clash. */
    const namesOf = async (environment: string): Promise<string[]> => {
      const names: string[] = [];
      for (const each of await templatesOf(environment)) {
        for (const resource of Object.values<Resource>(each['Resources'])) {
          for (const key of [
            'Name',
            'AlarmName',
            'DashboardName',
            'TableName',
            'FunctionName',
            'QueueName',
            'BucketName',
          ]) {
            const value = resource.Properties?.[key];
            // An API's name need not be unique.
            if (typeof value === 'string' && resource.Type !== 'AWS::ApiGatewayV2::Api')
              names.push(`${resource.Type} ${value}`);
          }
        }
        for (const output of Object.values<Resource>(each['Outputs'] ?? {}))
          if (output.Export) names.push(`export ${output.Export.Name}`);
      }
      return names;
    };

    it('share no physical name or export', async () => {
      const all = (await Promise.all(ENVIRONMENTS.map(namesOf))).flat();
      expect(all.length).toBeGreaterThan(200);
      expect(new Set(all).size).toBe(all.length);
    });

    it('read and write no metric of each other', async () => {
      const text = JSON.stringify(await templatesOf('staging'));
      expect(text).toContain('holdfast-staging');
      expect(text).not.toMatch(/"Value":"(?:prod|dev|local)"/);
      expect(text).not.toContain('holdfast/prod/');
    });
  });
});

describe('npm run destroy', () => {
  it('asks for each stack but the one that is kept, and for all where nothing is kept', async () => {
    const edge = { apiUrl: 'https://a1b2c3.execute-api.eu-central-1.amazonaws.com', requestsPerMinute: 2_000 };
    const settings = { account: '123456789012', region: 'eu-central-1', outbound: {}, edge };
    const config = { ...gateway, environments: { dev: settings, prod: settings } };
    for (const name of ['dev', 'prod']) {
      const { stage } = await synthEnvironment(name, config);
      const asked = cdkArguments(resolveDeployment(config, name, PROVIDERS), { destroy: true, yes: true });
      const all = [stage.data, stage.gateway, stage.delivery, stage.edge].filter(each => each !== undefined);
      const isAsked = (id: string): boolean => asked.some(pattern => matchesGlob(`${name}/${id}`, pattern));
      const [gone, kept] = [all.filter(it => isAsked(it.node.id)), all.filter(it => !isAsked(it.node.id))];
      expect(gone.every(stack => !stack.terminationProtection)).toBe(true);
      expect(kept).toEqual(name === 'dev' ? [] : [stage.data]);
    }
  });
});

describe('an environment', () => {
  it('takes its account and region from the configuration, or leaves them to the CLI', () => {
    const app = new App({ context: cdkContext() });
    const config = defineGateway({
      ...gateway,
      environments: { dev: {}, prod: { account: '123456789012', region: 'eu-central-1' } },
    });
    return Promise.all(
      ['dev', 'prod'].map(async name => {
        const deployment = resolveDeployment(config, name, PROVIDERS);
        const stage = new GatewayStage(app, { deployment, bundles: await placeholderBundles(name), handlerResources });
        expect(stage.gateway.environment).toBe(
          name === 'prod' ? 'aws://123456789012/eu-central-1' : 'aws://unknown-account/unknown-region',
        );
      }),
    );
  });

  it('is marked on every resource that takes tags', async () => {
    const config = { ...gateway, environments: { prod: { tags: { 'cost-center': '4711' } } } };
    const { data, gateway: template } = await synthEnvironment('prod', config);
    for (const resource of [
      ...Object.values(data.findResources('AWS::SQS::Queue')),
      ...Object.values(data.findResources('AWS::S3::Bucket')),
      ...Object.values(template.findResources('AWS::Lambda::Function')),
    ]) {
      expect(resource['Properties'].Tags).toEqual(
        expect.arrayContaining([
          { Key: 'holdfast:environment', Value: 'prod' },
          { Key: 'cost-center', Value: '4711' },
        ]),
      );
    }
  });
});

describe('resources of handlers', () => {
  it('are in the stack that stays, and the functions find them there', async () => {
    const { data, gateway: template } = await synthEnvironment('prod');
    const tables = Object.keys(data.findResources('AWS::DynamoDB::GlobalTable')).filter(id =>
      id.startsWith('Handlers'),
    );
    expect(tables.map(id => id.slice(0, -8)).sort()).toEqual(['HandlersPayments', 'HandlersPushes']);
    expect(Object.keys(template.findResources('AWS::DynamoDB::GlobalTable'))).toEqual([]);
    const [variables] = Object.values(template.findResources('AWS::Lambda::Function'))
      .map(each => each['Properties'].Environment?.Variables)
      .filter(each => each?.PAYMENTS_TABLE);
    expect(variables.PAYMENTS_TABLE).toEqual({ 'Fn::ImportValue': expect.stringContaining('HandlersPayments') });
  });

  it('keep their exports when nothing uses a table any more, so that the stack can be deployed before the gateway', async () => {
    const deployment = resolveDeployment(gateway, 'dev', PROVIDERS);
    const bundles = await placeholderBundles('dev');
    const exportsWith = (resources: HandlerResources): string[] => {
      const app = new App({ context: cdkContext() });
      const stage = new GatewayStage(app, { deployment, bundles, handlerResources: resources });
      const outputs = Template.fromStack(stage.data).findOutputs('*');
      return Object.keys(outputs).filter(id => id.includes('Handlers'));
    };
    const unused: HandlerResources = (scope, { disposable }) =>
      handlerResources(scope, {
        ...{ disposable, environment: 'dev' },
        grantTable: () => undefined,
        addEnvironment: () => undefined,
      } as unknown as HandlerResourcesContext);
    const used = exportsWith(handlerResources);
    expect(used).toHaveLength(4);
    expect(exportsWith(unused)).toEqual(used);
  });

  it('may be in the stack of the gateway, where they were once, under the same name', async () => {
    const deployment = resolveDeployment(gateway, 'dev', PROVIDERS);
    const stage = new GatewayStage(new App({ context: cdkContext() }), {
      deployment,
      bundles: await placeholderBundles('dev'),
      handlerResources: (_, context) => handlerResources(context.gateway, context),
    });
    const shipped = await synthEnvironment('dev');
    const ids = (template: Template): string[] =>
      Object.keys(template.findResources('AWS::DynamoDB::GlobalTable')).filter(id => id.startsWith('Handlers'));
    expect(ids(Template.fromStack(stage.data))).toEqual([]);
    expect(ids(Template.fromStack(stage.gateway))).toEqual(ids(shipped.data));
  });

  it('may not overwrite a variable of the gateway', async () => {
    const app = new App({ context: cdkContext() });
    const deployment = resolveDeployment(gateway, 'dev', PROVIDERS);
    const bundles = await placeholderBundles('dev');
    const clash = () =>
      new GatewayStage(app, {
        deployment,
        bundles,
        handlerResources: (_, context) => context.addEnvironment('EVENTS_TABLE', 'x'),
      });
    expect(clash).toThrow(/EVENTS_TABLE is a variable of the gateway itself/);
  });
});
