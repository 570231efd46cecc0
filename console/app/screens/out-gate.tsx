/** Pause, resume, disable, enable or try an endpoint: a question before each. */
import { GATE_WORDS, type GateAct, hasReason, REASON_ASKED } from '../../../ui/gate.ts';
import { Ask } from '../../../ui/parts.tsx';
import { ask } from '../parts/api.ts';

export type Act = Exclude<GateAct, 'delete'>;

/** What helps an endpoint that is not well. */
export const HELPS: Readonly<Record<string, Act>> = { holding: 'trial', paused: 'resume', disabled: 'enable' };

interface GateProps {
  readonly act: Act;
  readonly path: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function Gate({ act, path, onClose, onDone }: GateProps) {
  const [title, confirm, told] = GATE_WORDS[act];
  return (
    <Ask
      title={title}
      confirm={confirm}
      {...(hasReason(act) ? { field: { label: REASON_ASKED, autofocus: true } } : {})}
      onConfirm={why => ask(`${path}/gate`, { body: { act, why } })}
      {...{ onDone, onClose }}
    >
      <p>{told}</p>
    </Ask>
  );
}
