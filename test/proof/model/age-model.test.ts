import { ageVariants } from './age-model.ts';
import { checkVariants } from './check-variants.ts';

checkVariants('age-model', ['I2', 'I5'], ageVariants);
