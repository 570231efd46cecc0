import { checkVariants } from '#test/proof/model/check-variants.ts';
import { lookVariants } from './look-model.ts';

checkVariants('look-model', ['O2'], lookVariants);
