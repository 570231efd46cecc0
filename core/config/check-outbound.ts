/** What `outbound` must agree with in itself. */
import { formProblems } from '#core/outbound/sign/signature-form.ts';
import type { Report } from '#core/problem.ts';
import type { Deployment } from './deployment.ts';

export function checkOutbound({ config: { outbound, environment } }: Pick<Deployment, 'config'>, report: Report): void {
  if (!outbound) return;
  const path = `environments.${environment}.outbound`;
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
}
