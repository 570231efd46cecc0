import { batchesVariants } from './batches-model.ts';
import { checkVariants } from './check-variants.ts';

// Holds O20.
checkVariants('batches-model', ['O20'], batchesVariants);
