import { checkVariants } from './check-variants.ts';
import { largeBodyVariants } from './large-body-model.ts';

checkVariants('large-body-model', ['I14'], largeBodyVariants);
