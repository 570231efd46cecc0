import { checkVariants } from '#test/proof/model/check-variants.ts';
import { pullVariants } from './pull-model.ts';

// Holds O21.
checkVariants('pull-model', ['O2', 'O3', 'O4', 'O21'], pullVariants);
