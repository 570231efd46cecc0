/** What we call of SDKs that come without types. */
declare module 'braintree' {
  interface Gateway {
    readonly webhookNotification: { parse(signature: string, payload: string): Promise<unknown> };
    readonly webhookTesting: {
      sampleNotification(kind: string, id: string): Promise<{ bt_signature: string; bt_payload: string }>;
    };
  }
  const braintree: {
    readonly BraintreeGateway: new (options: Record<string, unknown>) => Gateway;
    readonly Environment: { readonly Sandbox: unknown };
  };
  export default braintree;
}
declare module 'coinbase-commerce-node' {
  const coinbase: { readonly Webhook: { verifySigHeader(body: string, signature: string, secret: string): boolean } };
  export default coinbase;
}
declare module 'sns-validator' {
  const MessageValidator: new () => { validate(message: object, done: (error: Error | null) => void): void };
  export default MessageValidator;
}
declare module '@sendgrid/eventwebhook' {
  const sendgrid: {
    readonly EventWebhook: new () => {
      convertPublicKeyToECDSA(key: string): object;
      verifySignature(key: object, payload: string | Buffer, signature: string, timestamp: string): boolean;
    };
  };
  export default sendgrid;
}
