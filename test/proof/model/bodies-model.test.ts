import { bodiesVariants } from './bodies-model.ts';
import { checkVariants } from './check-variants.ts';

checkVariants('bodies-model', ['O19'], bodiesVariants);
