import { arrivalsVariants } from './arrivals-model.ts';
import { checkVariants } from './check-variants.ts';

checkVariants('arrivals-model', ['I8'], arrivalsVariants);
