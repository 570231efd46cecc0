/** Which kinds of steps the good variants of the outbound model took: one that never does a thing proves nothing about it. */

/** Collects `actor: action` of every step that an exploration takes. */
export class SeenSteps {
  readonly #actions = new Map<string, Set<string>>();

  readonly note = (actor: string, action: string): void => {
    const actions = this.#actions.get(actor);
    if (actions) actions.add(action);
    else this.#actions.set(actor, new Set([action]));
  };

  /** Those of `kinds` that no step contains. */
  missing(kinds: readonly string[]): readonly string[] {
    const all = [...this.#actions].flatMap(([actor, actions]) => [...actions].map(action => `${actor}: ${action}`));
    return kinds.filter(kind => !all.some(step => step.includes(kind)));
  }
}

/** What the good variants of this run did. */
export const SEEN = new SeenSteps();

/** Every fault, every repair, every branch of the protocol. */
export const MUST_BE_SEEN = [
  'publish: CRASHES at put',
  'publish: CRASHES at send',
  'answers 503',
  'publish: puts the row itself',
  'will send the job',
  'publish: CRASHES at direct',
  'finds nothing due',
  'looks: its lease',
  'finds the gate opened',
  'CRASHES at look',
  'fan-out 0: CRASHES at rows',
  'fan-out 0: CRASHES at wakeUps',
  'fan-out 0: CRASHES at ack',
  'fan-out 0: visibility ends',
  'own retry recognised',
  'gate shut: drops',
  'on hold or held',
  'CRASHES at query',
  'CRASHES at check',
  'CRASHES at sent',
  'CRASHES at put',
  'CRASHES at delete',
  'CRASHES at release',
  'CRASHES at recheck',
  'CRASHES at ack',
  'error at sent',
  'release fails, returns',
  'gives up at sent',
  'gives up at put',
  'releases after an error',
  'lost the lease',
  'finds the gate shut',
  'row is done',
  'attempt is recorded',
  'was dropped',
  'disables the endpoint',
  'sends m0+1',
  'breaker opens',
  '410',
  'not charged',
  'there is more',
  'somebody else has it',
  'the copy goes',
  'slow lane',
  'records attempt 2',
  'audit finds a row',
  'a look by notes finds a row',
  'publish: notes that rows come',
  'fan-out 0: notes that rows come',
  'replay: notes that rows come',
  'hours pass',
  'audit finds an old row',
  'reconcile finds',
  'sweeper sends',
  'PURGE',
  'refused, 409',
  'asked again',
  'replay: CRASHES',
  'drops the backlog',
  'deletes the endpoint',
  'is older than',
  'reads the item',
  'due, wants the lease',
  'drainer 0: CRASHES at rows',
  'drainer 0: CRASHES at lease',
  'is refused the lease: reads',
  'is refused the lease: gate shut',
  'is refused the lease: on hold or held',
  'operator: resumes',
  'operator: enables',
  'customer: resumes',
  'customer: enables',
  'customer: disables by hand',
  'a probe is refused',
  'a probe is in vain',
] as const;
