import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const terraformCloud: ProviderSpec = {
  id: 'terraform-cloud',
  title: 'Terraform Cloud (HCP Terraform)',
  docs: 'https://developer.hashicorp.com/terraform/cloud-docs/api-docs/notification-configurations',
  checkedOn: '2026-11-27',
  source: 'hashicorp/terraform-docs-common, website/docs/cloud-docs/api-docs/notification-configurations.mdx.',
  unconfirmed: ['deadline'],
  verify: [bodyHmac('x-tfe-notification-signature', 'hex', { alg: 'hmac-sha512' })],
  identity: {
    items: 'notifications[]',
    key: [
      ['root:notification_configuration_id', 'root:run_id', 'json:trigger', 'json:run_status', 'json:run_updated_at'],
      // A workspace's assessment is no list.
      ['root:notification_configuration_id', 'json:trigger', 'json:details.new_assessment_result.id'],
      // The request that verifies the URL has neither.
      ['none'],
    ],
    type: ['json:trigger'],
    time: [
      { from: 'json:run_updated_at', unit: 'iso8601' },
      { from: 'json:details.new_assessment_result.created_at', unit: 'iso8601' },
    ],
    ordering: ['root:run_id', 'json:details.workspace_id'],
  },
  retries: 'Not documented.',
  setup:
    'The workspace, Settings, Notifications, Create a Notification: destination Webhook (generic), this URL, a token you choose, which is the secret (without one nothing is signed), and the triggers. A request at once verifies the URL.',
};
