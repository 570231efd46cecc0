/** The gateway that breaks in answer-pages.watch.ts: each source has an incident of its own, so that most can happen at once. */
import { defineGateway } from 'holdfast';

export const gateway = defineGateway({
  sources: {
    default: { provider: 'generic' },
    failing: { provider: 'generic' },
    keyless: { provider: 'generic' },
    resting: { provider: 'generic' },
    rotated: { provider: 'generic' },
    spare: { provider: 'generic' },
    github: { provider: 'github', silence: 5 },
  },
  environments: {
    local: {
      probe: true,
      outbound: { portal: { name: 'Acme' }, contacts: true },
      // Hours of an idle night are minutes here.
      thresholds: { 'sweep-paused-too-long': 45, 'process-queue-age': 10 },
    },
  },
});
