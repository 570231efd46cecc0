import { checkVariants } from './check-variants.ts';
import { importVariants } from './import-model.ts';

checkVariants('import-model', ['I2', 'I4', 'I5'], importVariants);
