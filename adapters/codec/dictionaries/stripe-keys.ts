/**
 * Keys of Stripe's events as they are sent (two spaces of indentation), with the values that most of them have. Key names
 * and documented values only, by type of event, the most frequent last; from the resources in
 * github.com/stripe/stripe-mock v0.203.0 (MIT) and Stripe's API reference.
 */
export const STRIPE_KEYS = `ion": {
        "type": "type"
      },
      "on_behalf_of": null,
      "payment_method": null,
      "payment_method_configuration_details": {
        "id": "",
        "parent": null
      },
      "payment_method_options": {},
      "payment_method_types": [
        "card"
      ],
      "processing": {eceipt_email": null,
      "review": null,
      "setup_future_usage": null,
      "shipping": {},
      "sourcerequires_payment_method",
      "transfer_data": {
        "destination": {
          "id": "",
          "object": "account"
        }
      }nullcarrierracking_number": null
      }{
  "id": "evt_",
  "object": "event",
  "api_version": "",
  "created": ,
  "data": {
    "object": {
      "id": "ch_",
      "object": "charge",
      "amount": ,
      "amount_captured": ,
      "amount_refunded": ,
      "application": null,
      "application_fee": null,
      "application_fee_amount": null,
      "balance_transaction": "txn_",
      "billing_details": {
        "address": {
          "city": null,
          "country": null,
          "line1": null,
          "line2": null,
          "postal_code": null,
          "state": null
        },
        "email": null,
        "name": "",
        "phone": null,
        "tax_id": null
      },
      "calculated_statement_descriptor": null,
      "captured": true,
      "created": ,
      "currency": "usd",
      "customer": "cus_",
      "description": "",
      "destination": null,
      "dispute": null,
      "disputed": false,
      "failure_balance_transaction": null,
      "failure_code": null,
      "failure_message": null,
      "fraud_details": {},
      "invoice": null,
      "livemode": true,
      "metadata": {},
      "on_behalf_of": null,
      "order": null,
      "outcome": {
        "advice_code": null,
        "network_advice_code": null,
        "network_decline_code": null,
        "network_status": "approved_by_network",
        "reason": null,
        "risk_level": "normal",
        "risk_score": ,
        "seller_message": "",
        "type": "authorized"
      },
      "paid": true,
      "payment_intent": "pi_",
      "payment_method": "pm_",
      "payment_method_details": {
        "card": {
          "amount_authorized": null,
          "authorization_code": "",
          "brand": "visa",
          "checks": {
            "address_line1_check": "pass",
            "address_postal_code_check": "pass",
            "cvc_check": "pass"
          },
          "country": "",
          "exp_month": ,
          "exp_year": ,
          "extended_authorization": {
            "status": "disabled"
          },
          "fingerprint": "",
          "funding": "credit",
          "incrementalunavailable"
          },
          "installments": null,
          "last4": "",
          "mandate": null,
          "multicapture": {
            "status": "unavailable"
          },
          "network": "visa",
          "network_token": {
            "used": false
          },
          "network_transaction_id": "",
          "overcapture": {
            "maximum_amount_capturable": ,regulated_status": "unregulated",
          "three_d_secure": {
            "authentication_flow": "frictionless",
            "electronic_commerce_indicator": "",
            "exemption_indicator": null,
            "result": "authenticated",
            "result_reason": null,
            "transaction_id": "",
            "version": ""
          },
          "wallet": null
        },
        "type": "card"
      },
      "radar_options": {},
      "receipt_email": null,
      "receipt_number": null,
      "receipt_url": "https://pay.stripe.com/receipts/payment/",
      "refunded": false,
      "review": null,
      "shipping": null,
      "source": null,
      "source_transfer": null,
      "statement_descriptor": null,
      "statement_descriptor_suffix": null,
      "status": "succeeded",
      "transfer_data": null,
      "transfer_group": null
    }
  },
  "livemode": true,
  "pending_webhooks": ,
  "request": {
    "id": "req_",
    "idempotency_key": ""
  },
  "type": ""
}`;
