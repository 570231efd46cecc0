import { checkVariants } from './check-variants.ts';
import { sweeperLeaseVariants } from './sweeper-lease-model.ts';

checkVariants('sweeper-lease-model', ['I8'], sweeperLeaseVariants);
