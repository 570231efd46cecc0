import { checkVariants } from './check-variants.ts';
import { outboundFaultVariants } from './outbound-fault-model.ts';

checkVariants('outbound-fault-model', ['O7', 'O19'], outboundFaultVariants);
