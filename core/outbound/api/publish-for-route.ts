/** `Publisher` (core/publisher.ts) over publishing: an inbound event becomes one message of an application. */

import { type PublishPorts, type PublishRules, publish } from '#core/outbound/publish/publish.ts';
import { findApplication } from '#core/outbound/registry/applications.ts';
import type { Publisher } from '#core/publisher.ts';

const MAX_TYPE = 100;
/** As the producer's API takes it. */
const MEDIA_TYPE = /^(?=.{3,200}$)[\w.+-]+\/[\w.+-]+(?:; ?[\w=.-]+)*$/;

export function publisherForRoutes(ports: PublishPorts, rules: PublishRules): Publisher {
  return {
    async publish({ application: uid, key, type, contentType, bytes }) {
      const application = await findApplication(ports.store, `uid:${uid}`);
      if (application === undefined)
        return { kind: 'refused', cause: 'not_found', reason: `there is no application uid:${uid}: make it once` };
      const published = await publish(ports, rules, {
        ...{ app: application.id, key, type: outboundType(type) },
        content: { kind: 'raw', bytes, contentType: MEDIA_TYPE.test(contentType) ? contentType : 'application/json' },
      });
      if (published.kind === 'accepted') return { kind: 'accepted', message: published.id };
      const { cause, detail } = published;
      return { kind: 'refused', cause: cause === 'unknown_application' ? 'not_found' : 'invalid', reason: detail };
    },
  };
}

/** Endpoints choose types of letters, digits, `_`, `.` and `-`; any other character of a provider's type becomes a full stop. */
function outboundType(type: string): string {
  return type.replace(/[^A-Za-z0-9_.-]/g, '.').slice(0, MAX_TYPE) || 'event';
}
