import { checkVariants } from './check-variants.ts';
import { ttlVariants } from './ttl-model.ts';

checkVariants('ttl-model', ['I2', 'I5', 'I14'], ttlVariants);
