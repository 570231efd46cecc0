import { checkVariants } from '#test/proof/model/check-variants.ts';
import { broadcastVariants } from './broadcast-model.ts';

// Holds O2, O19.
checkVariants('broadcast-model', ['O2', 'O19'], broadcastVariants);
