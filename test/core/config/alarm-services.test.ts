import { describe, expect, it } from 'vitest';
import { unheardPages } from '#core/config/alarm-services.ts';
import type { EnvironmentConfig } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';

const said = (name: string, settings: EnvironmentConfig): string | undefined =>
  unheardPages(resolveDeployment({ sources: gateway.sources, environments: { [name]: settings } }, name, PROVIDERS));
const EMAIL = { email: 'oncall@example.com' };

describe('an environment whose pages wake nobody', () => {
  it('is said to be one, with what to write and where', () => {
    expect(said('prod', {})).toMatch(/^prod pages nobody: .* environments\.prod\.alarmTargets in gateway\.config\.ts/);
    expect(said('prod', { alarmTargets: { ticket: [EMAIL] } })).toContain('pages nobody');
    // Without alarms nobody is paged either.
    expect(said('prod', { alarms: 'none' })).toContain('pages nobody');
  });

  it('is not mentioned where somebody is told, where nobody is meant to be, and where nothing is kept', () => {
    expect(said('prod', { alarmTargets: { page: [EMAIL] } })).toBeUndefined();
    expect(said('prod', { alarmTargets: 'nobody' })).toBeUndefined();
    for (const name of ['local', 'dev']) expect(said(name, {}), name).toBeUndefined();
  });

  it('is prod as shipped: who it is cannot be known here', () => {
    for (const name of ['staging', 'prod'])
      expect(unheardPages(resolveDeployment(gateway, name, PROVIDERS)), name).toContain(`${name} pages nobody`);
  });
});
