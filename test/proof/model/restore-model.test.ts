import { checkVariants } from './check-variants.ts';
import { restoreVariants } from './restore-model.ts';

checkVariants('restore-model', ['I2', 'I4', 'I5', 'I7'], restoreVariants);
