/** What `outbound` must agree with in the rest of its environment. */
import { formProblems } from '#core/outbound/sign/signature-form.ts';
import { type Report, show } from '#core/problem.ts';
import type { Deployment } from './deployment.ts';

/** What `outbound` may only say where AWS is emulated: anywhere else it would open a way into private networks. */
export function checkOutbound(
  { config: { outbound, environment }, emulated }: Pick<Deployment, 'config' | 'emulated'>,
  report: Report,
): void {
  if (!outbound) return;
  const path = `environments.${environment}.outbound`;
  const { baseSeconds, capSeconds } = outbound.probe;
  if (baseSeconds > capSeconds) {
    report({
      path: `${path}.probe.baseSeconds`,
      given: `${baseSeconds} with a cap of ${capSeconds}`,
      allowed: 'at most capSeconds',
      fix: 'raise capSeconds or lower baseSeconds',
    });
  }
  const { breaker } = outbound;
  if (breaker && breaker.failures > breaker.ofLast) {
    report({
      path: `${path}.breaker.failures`,
      given: `${breaker.failures} of the last ${breaker.ofLast}`,
      allowed: 'at most ofLast',
      fix: 'raise ofLast or lower failures',
    });
  }
  const names: Readonly<Record<string, string>> = { signature_header: 'signatureHeader', key_id_in: 'keyId' };
  for (const problem of formProblems(outbound)) report({ ...problem, path: `${path}.${names[problem.path]}` });
  if (emulated || outbound.allowAddresses.length === 0) return;
  report({
    path: `${path}.allowAddresses`,
    given: show(outbound.allowAddresses),
    allowed: 'nothing, unless the environment is emulated: customers could reach addresses inside',
    fix: 'remove it',
  });
}
