import { checkVariants } from '#test/proof/model/check-variants.ts';
import { replayStatusVariants } from './replay-status-model.ts';

checkVariants('replay-status-model', ['O2', 'O5'], replayStatusVariants);
