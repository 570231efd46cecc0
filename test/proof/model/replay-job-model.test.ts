import { checkVariants } from './check-variants.ts';
import { replayJobVariants } from './replay-job-model.ts';

checkVariants('replay-job-model', ['I5'], replayJobVariants);
