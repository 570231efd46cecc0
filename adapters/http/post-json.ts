import { DependencyError } from '#core/errors.ts';
import { guardedSender, type SenderRules } from './guarded-sender.ts';

const DEADLINE_MS = 5_000;

/**
 * POSTs JSON to an address that is a secret: through the guarded way out, and no error names more than its host. Answers
 * whatever status there is; throws DependencyError when nothing came back within five seconds.
 */
export function jsonPoster(
  rules: SenderRules,
): (
  url: string,
  body: string,
  headers?: Readonly<Record<string, string>>,
) => Promise<{ readonly status: number; readonly text: string }> {
  const sender = guardedSender(rules);
  return async (url, body, own = {}) => {
    const session = sender.open(1);
    try {
      const headers = { ...own, 'content-type': 'application/json' };
      const request = { url, headers, body: new TextEncoder().encode(body), deadlineMs: DEADLINE_MS };
      const answer = await session.send(request, AbortSignal.timeout(DEADLINE_MS));
      if (answer.kind === 'failed')
        throw new DependencyError('http', `POST ${hostOf(url)}: ${answer.cause} (${answer.detail})`);
      return { status: answer.status, text: new TextDecoder().decode(answer.body) };
    } finally {
      session.close();
    }
  };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'a text that is no URL';
}
