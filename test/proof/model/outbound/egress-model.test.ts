import { checkVariants } from '#test/proof/model/check-variants.ts';
import { egressVariants } from './egress-model.ts';

// Holds O7.
checkVariants('egress-model', ['O7'], egressVariants);
