import { checkVariants } from '#test/proof/model/check-variants.ts';
import { outboundFaultVariants } from './outbound-fault-model.ts';

checkVariants('outbound-fault-model', ['O2', 'O7'], outboundFaultVariants);
