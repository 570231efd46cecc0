/**
 * Whole runs in which one write of the protocol arrives late, and something honest happened to its record meanwhile: the
 * story each condition of that write is there for. Each answers what is wrong, or nothing.
 */
import { PERSON_RACES } from './races/person-races.ts';
import { PROCESSOR_RACES } from './races/processor-races.ts';
import { WATCH_RACES } from './races/watch-races.ts';

export const RACES = { ...PROCESSOR_RACES, ...PERSON_RACES, ...WATCH_RACES };
