/** Pause, resume, disable, enable, try now, delete: a question before each. */
import { useState } from 'preact/hooks';
import { GATE_WORDS, type GateAct, hasReason, REASON_ASKED } from '../../../ui/gate.ts';
import { Ask } from '../../../ui/parts.tsx';
import { ask } from '../parts/api.ts';

export type Act = GateAct;

interface GateProps {
  readonly act: Act;
  readonly path: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function Gate({ act, path, onClose, onDone }: GateProps) {
  const [backlog, setBacklog] = useState('drain');
  const [since, setSince] = useState('');
  const [title, confirm, told] = GATE_WORDS[act];
  const submit = (why: string): Promise<unknown> => {
    const when = backlog === 'since' ? { since: new Date(since).toISOString() } : {};
    const said = hasReason(act) && why !== '' ? { why } : {};
    const body = { ...said, ...(act === 'enable' ? { backlog, ...when } : {}) };
    return act === 'delete' ? ask(path, { method: 'DELETE' }) : ask(`${path}/${act}`, { body });
  };
  return (
    <Ask
      title={title}
      confirm={confirm}
      danger={act === 'delete'}
      {...(hasReason(act) ? { field: { label: REASON_ASKED, fits: () => true } } : {})}
      onConfirm={submit}
      {...{ onDone, onClose }}
      disabled={act === 'enable' && backlog === 'since' && since === ''}
    >
      <p>{told}</p>
      {act === 'enable' ? (
        <fieldset class="choices">
          <legend>What should happen to the messages that wait?</legend>
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
    </Ask>
  );
}
