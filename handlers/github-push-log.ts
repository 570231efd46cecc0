/** Example: a log of pushes, one row per push, kept beside the events. */
import { done, type Handler, handlerEnv, reject } from 'holdfast';

interface PushPayload {
  readonly ref?: string;
  readonly after?: string;
  readonly repository?: { readonly full_name?: string };
  readonly pusher?: { readonly name?: string };
  readonly commits?: readonly unknown[];
}

export const logPush: Handler = async (event, context) => {
  const push = event.payload as PushPayload | undefined;
  const repository = push?.repository?.full_name;
  if (!repository || !push?.after) return reject('a push without a repository or commit');
  const commits = push.commits?.length ?? 0;
  context.transact([
    {
      kind: 'put',
      table: handlerEnv('PUSHES_TABLE'),
      item: {
        repository,
        pushedAt: `${event.receivedAt}#${event.id}`,
        ref: push.ref ?? '',
        commit: push.after,
        commits,
      },
    },
  ]);
  context.log.info('push', { repository, ref: push.ref, commits });
  return done({ actionTaken: 'logged_push', data: { repository, commits } });
};
