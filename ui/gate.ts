/** What people may do to an endpoint's gate, in words: the console and the portal ask the same question. */
export type GateAct = 'pause' | 'resume' | 'disable' | 'enable' | 'trial' | 'delete';

export const GATE_WORDS: Readonly<Record<GateAct, readonly [title: string, confirm: string, told: string]>> = {
  pause: [
    'Pause this endpoint',
    'Pause',
    'Nothing is sent until somebody resumes it. New messages wait; none is lost.',
  ],
  resume: ['Resume this endpoint', 'Resume', 'The messages that wait are sent now, slowly at first.'],
  disable: [
    'Disable this endpoint',
    'Disable',
    'Nothing is sent, and tests are refused. New messages wait; none is lost.',
  ],
  enable: [
    'Enable this endpoint',
    'Enable',
    'One request tries it first. If it is accepted, the messages that wait follow.',
  ],
  trial: [
    'Try this endpoint now',
    'Try now',
    'One message that waits is sent now. If it is accepted, the others follow.',
  ],
  delete: [
    'Delete this endpoint',
    'Delete',
    'The messages that wait for it will not be sent. Its secret is deleted for good.',
  ],
};

/** `Pause …`: asks before it does it. */
export const gateButton = (act: GateAct): string => `${GATE_WORDS[act][1]} …`;

/** Nobody gives a reason for these. */
export const hasReason = (act: GateAct): boolean => act !== 'trial' && act !== 'delete';

export const REASON_ASKED = 'Why? Everybody who looks at it sees this';
