/**
 * What a broker call can fail with, as a closed list. `retry` says whether the same call can succeed later without
 * anybody changing anything.
 */
export const BROKER_ERROR_RETRY = {
  unreachable: true,
  "tls-failed": false,
  "authentication-failed": false,
  "authorization-failed": false,
  "topic-not-found": false,
  /** The topic id is no longer the one that the call was made for: deleted and made again under the same name. */
  "topic-recreated": false,
  /** This broker does not lead (or no longer holds) the partition; look the leader up again. */
  "leader-moved": true,
  "offset-out-of-range": false,
  /** CRC-32C mismatch, or a batch whose lengths contradict each other. */
  "corrupt-batch": false,
  /** A record format that is recognised but not walked. */
  "unsupported-format": false,
  /** A compressed batch that expands beyond the bound. */
  "expansion-bound": false,
  "throttled-too-long": true,
  timeout: true,
  cancelled: false,
  "cluster-id-changed": false,
  "unsupported-version": false,
  /** Any other error code of the protocol; the message names it. */
  protocol: false,
} as const satisfies Record<string, boolean>;

export type BrokerErrorCode = keyof typeof BROKER_ERROR_RETRY;

/** An error of the broker port. The message says what is wrong and what to do, and never holds a secret, a key or a value. */
export class BrokerError extends Error {
  override readonly name = "BrokerError";
  readonly code: BrokerErrorCode;
  readonly retry: boolean;

  constructor(code: BrokerErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.retry = BROKER_ERROR_RETRY[code];
  }
}
