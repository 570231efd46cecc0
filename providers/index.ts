/** Every provider this repository knows, by id. Users add theirs here or in gateway.config.ts. */
import type { ProviderSpec } from 'holdfast';
// written:list by `npm run write`, out of the files of this folder
import { adobe } from './adobe.ts';
import { adyen } from './adyen.ts';
import { adyenPlatforms } from './adyen-platforms.ts';
import { aftership } from './aftership.ts';
import { airtable } from './airtable.ts';
import { airwallex } from './airwallex.ts';
import { alchemy } from './alchemy.ts';
import { appStore } from './app-store.ts';
import { asana } from './asana.ts';
import { auth0 } from './auth0.ts';
import { azureDevops } from './azure-devops.ts';
import { azureEventGrid } from './azure-event-grid.ts';
import { bigcommerce } from './bigcommerce.ts';
import { bitbucket } from './bitbucket.ts';
import { box } from './box.ts';
import { braintree } from './braintree.ts';
import { brex } from './brex.ts';
import { calCom } from './cal-com.ts';
import { calendly } from './calendly.ts';
import { chargebee } from './chargebee.ts';
import { checkoutCom } from './checkout-com.ts';
import { circleci } from './circleci.ts';
import { clerk } from './clerk.ts';
import { clickup } from './clickup.ts';
import { cloudevents } from './cloudevents.ts';
import { cloudflareStream } from './cloudflare-stream.ts';
import { coinbaseCdp } from './coinbase-cdp.ts';
import { coinbaseCommerce } from './coinbase-commerce.ts';
import { commerceLayer } from './commerce-layer.ts';
import { contentful } from './contentful.ts';
import { convoy } from './convoy.ts';
import { customerIo } from './customer-io.ts';
import { discordEvents } from './discord-events.ts';
import { discordInteractions } from './discord-interactions.ts';
import { docusign } from './docusign.ts';
import { dropbox } from './dropbox.ts';
import { dwolla } from './dwolla.ts';
import { easypost } from './easypost.ts';
import { ebay } from './ebay.ts';
import { elevenlabs } from './elevenlabs.ts';
import { expoEas } from './expo-eas.ts';
import { figma } from './figma.ts';
import { finch } from './finch.ts';
import { front } from './front.ts';
import { fusionauth } from './fusionauth.ts';
import { generic } from './generic.ts';
import { genericHexBody } from './generic-hex-body.ts';
import { genericSha256Body } from './generic-sha256-body.ts';
import { genericTV1 } from './generic-t-v1.ts';
import { genericTimestampSha256 } from './generic-timestamp-sha256.ts';
import { gitea } from './gitea.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { gitlabSigning } from './gitlab-signing.ts';
import { gocardless } from './gocardless.ts';
import { greenhouse } from './greenhouse.ts';
import { heroku } from './heroku.ts';
import { hookdeck } from './hookdeck.ts';
import { hubspot } from './hubspot.ts';
import { hubspotLegacy } from './hubspot-legacy.ts';
import { incidentIo } from './incident-io.ts';
import { intercom } from './intercom.ts';
import { jira } from './jira.ts';
import { jiraConnect } from './jira-connect.ts';
import { klaviyo } from './klaviyo.ts';
import { knock } from './knock.ts';
import { launchdarkly } from './launchdarkly.ts';
import { lemonSqueezy } from './lemon-squeezy.ts';
import { line } from './line.ts';
import { linear } from './linear.ts';
import { lithic } from './lithic.ts';
import { liveblocks } from './liveblocks.ts';
import { livekit } from './livekit.ts';
import { mailgun } from './mailgun.ts';
import { mandrill } from './mandrill.ts';
import { mercadoPago } from './mercado-pago.ts';
import { messagebird } from './messagebird.ts';
import { meta } from './meta.ts';
import { microsoftGraph } from './microsoft-graph.ts';
import { microsoftTeams } from './microsoft-teams.ts';
import { mollie } from './mollie.ts';
import { mollieNext } from './mollie-next.ts';
import { monday } from './monday.ts';
import { mux } from './mux.ts';
import { netlify } from './netlify.ts';
import { notion } from './notion.ts';
import { nuvemshop } from './nuvemshop.ts';
import { nylas } from './nylas.ts';
import { okta } from './okta.ts';
import { onfleet } from './onfleet.ts';
import { openai } from './openai.ts';
import { oura } from './oura.ts';
import { paddle } from './paddle.ts';
import { pagerduty } from './pagerduty.ts';
import { paypal } from './paypal.ts';
import { paystack } from './paystack.ts';
import { persona } from './persona.ts';
import { picqer } from './picqer.ts';
import { pipedrive } from './pipedrive.ts';
import { plaid } from './plaid.ts';
import { plane } from './plane.ts';
import { polar } from './polar.ts';
import { postmark } from './postmark.ts';
import { pubsub } from './pubsub.ts';
import { pusher } from './pusher.ts';
import { quickbooks } from './quickbooks.ts';
import { razorpay } from './razorpay.ts';
import { recharge } from './recharge.ts';
import { replicate } from './replicate.ts';
import { resend } from './resend.ts';
import { retell } from './retell.ts';
import { revenuecat } from './revenuecat.ts';
import { revolut } from './revolut.ts';
import { salesforce } from './salesforce.ts';
import { sanity } from './sanity.ts';
import { segment } from './segment.ts';
import { sendgrid } from './sendgrid.ts';
import { sentry } from './sentry.ts';
import { shipbob } from './shipbob.ts';
import { shopify } from './shopify.ts';
import { shopifyEvents } from './shopify-events.ts';
import { slack } from './slack.ts';
import { slackCommands } from './slack-commands.ts';
import { smartcar } from './smartcar.ts';
import { sns } from './sns.ts';
import { snyk } from './snyk.ts';
import { square } from './square.ts';
import { standardWebhooks } from './standard-webhooks.ts';
import { standardWebhooksV1a } from './standard-webhooks-v1a.ts';
import { strava } from './strava.ts';
import { stripe } from './stripe.ts';
import { sumsub } from './sumsub.ts';
import { svix } from './svix.ts';
import { tally } from './tally.ts';
import { telegram } from './telegram.ts';
import { telnyx } from './telnyx.ts';
import { terraformCloud } from './terraform-cloud.ts';
import { tiktokShop } from './tiktok-shop.ts';
import { todoist } from './todoist.ts';
import { trello } from './trello.ts';
import { twilio } from './twilio.ts';
import { twitch } from './twitch.ts';
import { typeform } from './typeform.ts';
import { uberEats } from './uber-eats.ts';
import { vercel } from './vercel.ts';
import { vonage } from './vonage.ts';
import { webflow } from './webflow.ts';
import { whatsapp } from './whatsapp.ts';
import { wise } from './wise.ts';
import { woocommerce } from './woocommerce.ts';
import { workos } from './workos.ts';
import { x } from './x.ts';
import { xActivity } from './x-activity.ts';
import { xero } from './xero.ts';
import { zendesk } from './zendesk.ts';
import { zoom } from './zoom.ts';

const all: readonly ProviderSpec[] = [
  adobe,
  adyen,
  adyenPlatforms,
  aftership,
  airtable,
  airwallex,
  alchemy,
  appStore,
  asana,
  auth0,
  azureDevops,
  azureEventGrid,
  bigcommerce,
  bitbucket,
  box,
  braintree,
  brex,
  calCom,
  calendly,
  chargebee,
  checkoutCom,
  circleci,
  clerk,
  clickup,
  cloudevents,
  cloudflareStream,
  coinbaseCdp,
  coinbaseCommerce,
  commerceLayer,
  contentful,
  convoy,
  customerIo,
  discordEvents,
  discordInteractions,
  docusign,
  dropbox,
  dwolla,
  easypost,
  ebay,
  elevenlabs,
  expoEas,
  figma,
  finch,
  front,
  fusionauth,
  generic,
  genericHexBody,
  genericSha256Body,
  genericTV1,
  genericTimestampSha256,
  gitea,
  github,
  gitlab,
  gitlabSigning,
  gocardless,
  greenhouse,
  heroku,
  hookdeck,
  hubspot,
  hubspotLegacy,
  incidentIo,
  intercom,
  jira,
  jiraConnect,
  klaviyo,
  knock,
  launchdarkly,
  lemonSqueezy,
  line,
  linear,
  lithic,
  liveblocks,
  livekit,
  mailgun,
  mandrill,
  mercadoPago,
  messagebird,
  meta,
  microsoftGraph,
  microsoftTeams,
  mollie,
  mollieNext,
  monday,
  mux,
  netlify,
  notion,
  nuvemshop,
  nylas,
  okta,
  onfleet,
  openai,
  oura,
  paddle,
  pagerduty,
  paypal,
  paystack,
  persona,
  picqer,
  pipedrive,
  plaid,
  plane,
  polar,
  postmark,
  pubsub,
  pusher,
  quickbooks,
  razorpay,
  recharge,
  replicate,
  resend,
  retell,
  revenuecat,
  revolut,
  salesforce,
  sanity,
  segment,
  sendgrid,
  sentry,
  shipbob,
  shopify,
  shopifyEvents,
  slack,
  slackCommands,
  smartcar,
  sns,
  snyk,
  square,
  standardWebhooks,
  standardWebhooksV1a,
  strava,
  stripe,
  sumsub,
  svix,
  tally,
  telegram,
  telnyx,
  terraformCloud,
  tiktokShop,
  todoist,
  trello,
  twilio,
  twitch,
  typeform,
  uberEats,
  vercel,
  vonage,
  webflow,
  whatsapp,
  wise,
  woocommerce,
  workos,
  x,
  xActivity,
  xero,
  zendesk,
  zoom,
];
// /written

export const PROVIDERS: Readonly<Record<string, ProviderSpec>> = Object.fromEntries(all.map(spec => [spec.id, spec]));

/** The spec with this id. Throws RangeError, naming near matches, when there is none. */
export function providerById(id: string): ProviderSpec {
  const spec = Object.hasOwn(PROVIDERS, id) ? PROVIDERS[id] : undefined;
  if (spec) return spec;
  const near = Object.keys(PROVIDERS).filter(known => known.includes(id) || id.includes(known));
  throw new RangeError(
    `There is no provider "${id.slice(0, 60)}". ${near.length > 0 ? `Did you mean ${near.join(', ')}?` : 'All ids are listed in docs/reference/providers.md.'} A provider of your own: docs/receive/add-a-provider.md.`,
  );
}
