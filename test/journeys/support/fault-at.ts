import type { Fault, FaultPlan } from '#adapters/memory/faults.ts';

/** One fault, at the `nth` call of a port's method (from 1), counted over all processes that share the plan. */
export function faultAt(name: string, nth: number, fault: Fault): FaultPlan {
  let seen = 0;
  return call => (call.name === name && ++seen === nth ? fault : undefined);
}

/** The same fault at every call of a port's method while `isOn` says so. */
export function faultWhile(name: string | RegExp, fault: Fault, isOn: () => boolean): FaultPlan {
  return call => ((typeof name === 'string' ? call.name === name : name.test(call.name)) && isOn() ? fault : undefined);
}
