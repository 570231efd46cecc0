import type { Fault, FaultPlan } from '#test/kit/memory/faults.ts';
import type { Role } from '#test/kit/memory-world.ts';

/** One fault, at the `nth` call of a port's method (from 1), counted over all processes that share the plan. */
export function faultAt(name: string, nth: number, fault: Fault): FaultPlan {
  let seen = 0;
  return call => (call.name === name && ++seen === nth ? fault : undefined);
}

/** The same fault at every call of a port's method while `isOn` says so. */
export function faultWhile(name: string | RegExp, fault: Fault, isOn: () => boolean): FaultPlan {
  return call => ((typeof name === 'string' ? call.name === name : name.test(call.name)) && isOn() ? fault : undefined);
}

/** Several plans as one, the first fault counts; only for the calls of ingest. */
export function atIngest(...plans: readonly FaultPlan[]): (role: Role) => FaultPlan {
  return role => call => {
    if (role !== 'ingest') return undefined;
    const faults = plans.map(plan => plan(call));
    return faults.find(fault => fault !== undefined);
  };
}
