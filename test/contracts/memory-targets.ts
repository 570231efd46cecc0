import { MemoryTargets } from '#adapters/memory/memory-targets.ts';
import type { Clock } from '#core/ports.ts';
import type { RouteTarget } from '#core/resolved-config.ts';
import type { TargetsSubject } from './targets.contract.ts';

const arn = (service: string, name: string) => `arn:aws:${service}:us-east-1:000000000000:${name}`;
/** Addresses under which an implementation makes its targets. */
export const CONTRACT_TARGETS: TargetsSubject['present'] = {
  queue: { kind: 'queue', address: arn('sqs', 'contract-plain') },
  small: { kind: 'queue', address: arn('sqs', 'contract-small') },
  fifo: { kind: 'queue', address: arn('sqs', 'contract-once.fifo') },
  topic: { kind: 'topic', address: arn('sns', 'contract-topic') },
  bus: { kind: 'event_bus', address: arn('events', 'event-bus/contract-bus') },
  machine: { kind: 'state_machine', address: arn('states', 'stateMachine:contract-machine') },
};

export function makeMemoryTargets(clock: Clock): TargetsSubject {
  const known = Object.values(CONTRACT_TARGETS).map(it => it.address);
  const targets = new MemoryTargets({
    clock,
    limits: { [CONTRACT_TARGETS.small.address]: 2_048 },
    answer: address =>
      known.includes(address) ? undefined : { kind: 'refused', cause: 'not_found', reason: 'it does not exist' },
  });
  return {
    targets,
    present: CONTRACT_TARGETS,
    async received(target: RouteTarget) {
      const texts = targets.taken.filter(it => it.address === target.address).map(it => it.text);
      if (target.kind !== 'event_bus') return texts;
      return texts.map(text => `{"source":"holdfast.stripe","detail-type":"invoice.paid","detail":${text}}`);
    },
  };
}
