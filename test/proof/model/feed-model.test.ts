import { checkVariants } from './check-variants.ts';
import { feedVariants } from './feed-model.ts';

checkVariants('feed-model', ['O2'], feedVariants);
