/** Payloads outlive their records by this, so that a record never misses its body (I14). */
export const PAYLOAD_MARGIN_DAYS = 7;
