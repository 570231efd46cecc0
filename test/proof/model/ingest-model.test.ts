import { checkVariants } from './check-variants.ts';
import { ingestVariants } from './ingest-variants.ts';

checkVariants('ingest-model', ['I2', 'I3', 'I4', 'I5'], ingestVariants);
