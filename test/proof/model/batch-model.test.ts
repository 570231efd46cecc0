import { batchVariants } from './batch-model.ts';
import { checkVariants } from './check-variants.ts';

checkVariants('batch-model', ['I2', 'I5'], batchVariants);
