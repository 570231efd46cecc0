import { bodiesVariants } from './bodies-model.ts';
import { checkVariants } from '#test/proof/model/check-variants.ts';

// Holds O19.
checkVariants('bodies-model', ['O19'], bodiesVariants);
