import { checkVariants } from '#test/proof/model/check-variants.ts';
import { bodiesVariants } from './bodies-model.ts';

// Holds O19.
checkVariants('bodies-model', ['O19'], bodiesVariants);
