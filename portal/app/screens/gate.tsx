/** Pause, resume, disable, enable, try now, delete: a question before each. */
import { useState } from 'preact/hooks';
import { type AfterConfirm, Ask, Field } from '../../../ui/parts.tsx';
import { ask } from '../parts/api.ts';

export type Act = 'pause' | 'resume' | 'disable' | 'enable' | 'trial' | 'delete';

const WORDS: Readonly<Record<Act, readonly [title: string, confirm: string, told: string]>> = {
  pause: ['Pause this endpoint', 'Pause', 'Nothing is sent until you resume it. New messages wait and are not lost.'],
  resume: ['Resume this endpoint', 'Resume', 'The waiting messages are sent now, slowly at first.'],
  disable: ['Disable this endpoint', 'Disable', 'Nothing is sent, and tests are refused. New messages wait.'],
  enable: ['Enable this endpoint', 'Enable', 'One request tries it first. What should happen to the waiting messages?'],
  trial: [
    'Try this endpoint now',
    'Try now',
    'One waiting message is sent now. If your server accepts it, the others follow.',
  ],
  delete: [
    'Delete this endpoint',
    'Delete',
    'The messages that wait for it will not be sent. Its secret is deleted for good.',
  ],
};
const HAS_WHY: readonly Act[] = ['pause', 'resume', 'disable', 'enable'];

interface GateProps {
  readonly act: Act;
  readonly path: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function Gate({ act, path, onClose, onDone }: GateProps) {
  const [why, setWhy] = useState('');
  const [backlog, setBacklog] = useState('drain');
  const [since, setSince] = useState('');
  const [title, confirm, told] = WORDS[act];
  const submit = async (): Promise<AfterConfirm> => {
    const when = backlog === 'since' ? { since: new Date(since).toISOString() } : {};
    const said = HAS_WHY.includes(act) && why !== '' ? { why } : {};
    const body = { ...said, ...(act === 'enable' ? { backlog, ...when } : {}) };
    await (act === 'delete' ? ask(path, { method: 'DELETE' }) : ask(`${path}/${act}`, { body }));
    onDone();
    return 'close';
  };
  return (
    <Ask
      title={title}
      confirm={confirm}
      danger={act === 'delete'}
      onConfirm={submit}
      onClose={onClose}
      disabled={act === 'enable' && backlog === 'since' && since === ''}
    >
      <p>{told}</p>
      {act === 'enable' ? (
        <fieldset class="choices">
          <legend>Messages that waited</legend>
          {(
            [
              ['drain', 'Send all of them'],
              ['since', 'Send those from a certain time on'],
              ['drop', 'Drop all of them'],
            ] as const
          ).map(([value, word]) => (
            <label key={value}>
              <input
                type="radio"
                name="backlog"
                value={value}
                checked={backlog === value}
                onChange={() => setBacklog(value)}
              />
              {word}
            </label>
          ))}
          {backlog === 'since' ? (
            <label class="field">
              <span>From</span>
              <input type="datetime-local" value={since} onInput={event => setSince(event.currentTarget.value)} />
            </label>
          ) : null}
        </fieldset>
      ) : null}
      {HAS_WHY.includes(act) ? <Field label="Why? (for your colleagues)" value={why} onInput={setWhy} /> : null}
    </Ask>
  );
}
