import { expect, it } from 'vitest';
import { synthEnvironment } from './synth-environment.ts';

it('each function has a log group by whose name `holdfast logs` finds it', async () => {
  const { gateway } = await synthEnvironment('prod');
  const groups = Object.keys(gateway.findResources('AWS::Logs::LogGroup'));
  const functions = Object.entries(gateway.findResources('AWS::Lambda::Function'));
  const found = groups.flatMap(id => /^(\w+?)Logs[0-9A-F]{8}$/.exec(id)?.[1] ?? []);
  expect(found).toEqual(expect.arrayContaining(['Ingest', 'Process', 'Sweep', 'Notify']));
  const ours = functions.filter(
    ([, { Properties }]) => Properties.Handler === 'index.handler' && Properties.LoggingConfig,
  );
  expect(found.length).toBeGreaterThanOrEqual(ours.length - 1);
});
