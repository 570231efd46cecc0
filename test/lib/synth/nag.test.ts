import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Validations } from 'aws-cdk-lib/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { GatewayConfig } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { placeholderBundles } from '#lib/bundling/bundle-functions.ts';
import { proveResources } from '#lib/drill-resources.ts';
import type { HandlerResources } from '#lib/handler-resources.ts';
import { GatewayStage } from '#lib/stacks/gateway-stage.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { handlerResources } from '#test/fixtures/project/handlers/resources.ts';
import { synthEnvironment, testApp } from './synth-environment.ts';

// Its types lead to those of every service of AWS, which `tsc` and Biome would read for these two names.
const require = createRequire(import.meta.url);
const { AwsSolutionsChecks, ServerlessChecks } = require('cdk-nag');

const folders: string[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(folders.splice(0).map(folder => rm(folder, { recursive: true, force: true })));
});

/** Ids of the rules both packs still complain about in an environment. */
async function findings(
  environment: string,
  change?: (stage: GatewayStage) => void,
  config: GatewayConfig = gateway,
  resources: HandlerResources = handlerResources,
): Promise<string[]> {
  const outdir = await mkdtemp(join(tmpdir(), 'holdfast-nag-'));
  folders.push(outdir);
  // CloudFormation's own rules, which every environment passes in environments.test.ts, take seconds to load.
  const builtinCloudFormationValidation = false;
  const app = testApp({ outdir, builtinCloudFormationValidation });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  const deployment = resolveDeployment(config, environment, PROVIDERS);
  const bundles = await placeholderBundles(environment);
  const stage = new GatewayStage(app, { deployment, bundles, handlerResources: resources });
  change?.(stage);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  try {
    app.synth();
  } catch {
    // A finding stops the synthesis; the report says which.
  }
  process.exitCode = undefined;
  const report = JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8'));
  return report.pluginReports.flatMap((plugin: { violations?: { ruleName: string }[] }) =>
    (plugin.violations ?? []).map(violation => violation.ruleName),
  );
}

describe('cdk-nag, AwsSolutions and Serverless packs', () => {
  it.each(['local', 'dev', 'staging', 'prod'])('has nothing to say about %s', async environment => {
    expect(await findings(environment)).toEqual([]);
  });

  it('has nothing to say about what is there only when it is asked for', async () => {
    const sources = {
      asana: { provider: 'asana', throttle: 5 },
      stripe: { provider: 'stripe', reconcile: { types: ['*'] }, apiCredential: true },
    };
    const environments = { prod: { account: '123456789012', region: 'eu-central-1' } };
    expect(await findings('prod', undefined, { sources, environments })).toEqual([]);
  });

  it('has nothing to say about what is sent to customers', async () => {
    const environments = {
      prod: { account: '123456789012', region: 'eu-central-1', outbound: { portal: { name: 'Acme' } } },
    };
    expect(await findings('prod', undefined, { sources: gateway.sources, environments })).toEqual([]);
  });

  it('has nothing to say about what holdfast prove deploys', async () => {
    const environments = { prove: { disposable: true, account: '123456789012', region: 'eu-central-1', outbound: {} } };
    const bundle = (await placeholderBundles('prove')).process;
    const config = { sources: gateway.sources, environments };
    expect(await findings('prove', undefined, config, proveResources(bundle))).toEqual([]);
  });

  it('has nothing to say about a canary', async () => {
    const of = { account: '123456789012', region: 'eu-central-1', outbound: {}, canary: { percent: 10, minutes: 5 } };
    expect(await findings('prod', undefined, { sources: gateway.sources, environments: { prod: of } })).toEqual([]);
  });

  it('has nothing to say about the edge', async () => {
    const apiUrl = 'https://a1b2c3.execute-api.eu-central-1.amazonaws.com';
    const edge = { apiUrl, requestsPerMinute: 2_000 };
    const environments = { prod: { account: '123456789012', region: 'eu-central-1', edge } };
    expect(await findings('prod', undefined, { sources: gateway.sources, environments })).toEqual([]);
  });

  it('would say it: an open bucket beside ours is found', async () => {
    const found = await findings('dev', stage => new Bucket(stage.gateway, 'Open'));
    expect(found.join()).toMatch(/S10|S1\b/);
  });

  it('is answered with reasons, not with "not needed"', async () => {
    const { stage } = await synthEnvironment('prod');
    const reasons = [...stage.data.node.findAll(), ...stage.gateway.node.findAll()].flatMap(construct =>
      construct.node.metadata
        .filter(entry => entry.type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .map(entry => JSON.stringify(entry.data)),
    );
    expect(reasons.length).toBeGreaterThan(10);
    for (const reason of reasons) expect(reason.length).toBeGreaterThan(80);
  });
});
