import { checkVariants } from '#test/proof/model/check-variants.ts';
import { lifecycleVariants } from './lifecycle-variants.ts';

checkVariants('lifecycle-model', ['I2', 'I3', 'I4', 'I5', 'I7', 'I8'], lifecycleVariants);
