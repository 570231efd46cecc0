import { checkVariants } from './check-variants.ts';
import { payloadVariants } from './payload-model.ts';

checkVariants('payload-model', ['I14'], payloadVariants);
