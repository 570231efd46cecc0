/** The signing secrets that are alive, shown on request; rotation with the clock of the old one. */
import { useState } from 'preact/hooks';
import { useAct } from '../../../ui/load.ts';
import { Ask, Button, Command, Shown, Trouble } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { At } from '../../../ui/time.tsx';
import { ask, useAsk } from '../parts/api.ts';
import type { Key, Page } from '../wire.ts';

const GRACES = [
  [0, 'at once: the old one does not sign any more'],
  [3_600, 'after an hour'],
  [86_400, 'after a day'],
  [604_800, 'after a week'],
] as const;
/** Forms with room for one signature. */
const ONE_AT_A_TIME = ['timestamp-sha256', 'body-sha256'];

export function Secret({ path, signature }: { readonly path: string; readonly signature: string }) {
  const [shown, setShown] = useState(false);
  const [rotating, setRotating] = useState(false);
  const view = useAsk<Page<Key>>(shown ? `${path}/secret` : undefined, 15_000);
  const isOne = ONE_AT_A_TIME.includes(signature);
  const reload = (): void => (shown ? view.reload() : setShown(true));
  const { problem, act } = useAct();
  const activate = async (): Promise<void> => {
    await ask(`${path}/secret/activate`, { body: {} });
    view.reload();
  };
  return (
    <>
      <p>
        We sign every request with it, so that your server knows who sent it. Anybody who has it can sign requests, too.
      </p>
      <p class="actions">
        {shown ? null : <Button word="Show the secret" onClick={() => setShown(true)} />}
        <Button word="Rotate …" onClick={() => setRotating(true)} />
      </p>
      {shown ? (
        <Shown of={view}>
          {({ data }) => (
            <ul class="plain keys-alive">
              {data.map((key, n) => (
                <li key={key.key_id}>
                  <p>
                    <b>{n === 0 ? 'The newest' : 'The one before'}</b> <code class="faint">{visible(key.key_id)}</code>
                  </p>
                  <Command text={key.verify_with} />
                  <p class="faint">
                    {key.not_after === null ? (
                      'It signs until you rotate it.'
                    ) : (
                      <>
                        It signs, too, and ends <At of={key.not_after} />.
                      </>
                    )}
                    {n === 0 && key.active_from !== null && Date.parse(key.active_from) > Date.now() ? (
                      <>
                        {' '}
                        It begins to sign <At of={key.active_from} />, or as soon as you activate it.
                      </>
                    ) : null}
                  </p>
                </li>
              ))}
            </ul>
          )}
        </Shown>
      ) : null}
      {shown && isOne && (view.data?.data.length ?? 0) > 1 ? (
        <Button word="Sign with the newest one from now on" onClick={() => act(activate)} />
      ) : null}
      {problem === undefined ? null : <Trouble of={problem} />}
      {rotating ? <Rotate path={path} isOne={isOne} onClose={() => setRotating(false)} onDone={reload} /> : null}
    </>
  );
}

interface RotateProps {
  readonly path: string;
  readonly isOne: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Rotate({ path, isOne, onClose, onDone }: RotateProps) {
  const [grace, setGrace] = useState(86_400);
  const [requestId] = useState(() => crypto.randomUUID());
  const body = { grace_seconds: grace, request_id: requestId };
  const rotate = (): Promise<unknown> => ask(`${path}/secret/rotate`, { body });
  return (
    <Ask title="Rotate the signing secret" confirm="Rotate" onConfirm={rotate} {...{ onDone, onClose }}>
      <p>
        {isOne
          ? 'You get a new secret. The old one signs until you activate the new one, or until its own end. Give the new one to your server first.'
          : 'You get a new secret, and requests carry both signatures until the old one ends. Your server may change at any time in between.'}
      </p>
      <label class="field">
        <span>The old one ends</span>
        <select value={grace} onChange={event => setGrace(Number(event.currentTarget.value))}>
          {GRACES.map(([seconds, word]) => (
            <option key={seconds} value={seconds}>
              {word}
            </option>
          ))}
        </select>
      </label>
    </Ask>
  );
}
