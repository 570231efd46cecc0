/** All ways of the matrix. */
import { CUSTOMERS } from './customers.ts';
import type { Journey } from './journey.ts';
import { RECEIVING } from './receiving.ts';
import { SENDING } from './sending.ts';

export const JOURNEYS: readonly Journey[] = [...RECEIVING, ...SENDING, ...CUSTOMERS];
