import type { Socket } from "node:net";
import { Connection, type ConnectionOptions } from "@platformatic/kafka";
import type { TrafficMeter } from "#lib/brokers/kafka/traffic-meter.ts";

const SASL_HANDSHAKE = 17;
const SASL_AUTHENTICATE = 36;

/**
 * The client library's connection with what it lacks:
 * - While a session is renewed (KIP-368) nothing else may be under way: a broker answers any other request with an error
 *   in that request's own form (a Metadata answer then has no topics and no error code at all) and hangs up. So renewal
 *   waits for the answers that are due, and requests wait for the renewal; the library does neither.
 * - The socket's last error is kept: a refused client certificate shows only there (TLS 1.3).
 * - Requests are counted.
 */
export class SessionConnection extends Connection {
  readonly #meter: TrafficMeter;
  #failure: Error | null = null;
  #pendingCount = 0;
  #isRenewing = false;
  /** Begins the renewal once no answer is due. */
  #whenIdle: (() => void) | null = null;
  #held: (() => void)[] = [];

  constructor(clientId: string, options: ConnectionOptions, meter: TrafficMeter) {
    super(clientId, options);
    this.#meter = meter;
    this.on("error", (error: Error) => {
      this.#failure = error;
      this.#endRenewal();
    });
    this.on("sasl:authentication:extended", () => this.#endRenewal());
    this.on("close", () => {
      // Clears the library's renewal timer, which would keep the process alive.
      void this.close();
      this.#endRenewal();
    });
  }

  get failure(): Error | null {
    return this.#failure;
  }

  override send<Answer>(...args: Parameters<typeof Connection.prototype.send<Answer>>): void {
    const [apiKey] = args;
    if (apiKey === SASL_HANDSHAKE || apiKey === SASL_AUTHENTICATE) {
      this.#meter.countRequest();
      super.send<Answer>(...args);
    } else if (this.#isRenewing) {
      this.#held.push(() => this.#sendCounted<Answer>(...args));
    } else {
      this.#sendCounted<Answer>(...args);
    }
  }

  /**
   * Lets `use` have the socket for one request and its answer; a renewal waits for it.
   * @returns null where something else is under way: send it the ordinary way
   */
  async withSocket<Answer>(use: (socket: Socket) => Promise<Answer>): Promise<Answer | null> {
    if (this.#isRenewing || this.#pendingCount > 0) return null;
    this.#meter.countRequest();
    this.#pendingCount++;
    try {
      return await use(this.socket);
    } finally {
      this.#pendingCount--;
      if (this.#pendingCount === 0) this.#beginRenewal();
    }
  }

  override reauthenticate(): void {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    if (this.#pendingCount === 0) super.reauthenticate();
    else this.#whenIdle = () => super.reauthenticate();
  }

  #sendCounted<Answer>(...args: Parameters<typeof Connection.prototype.send<Answer>>): void {
    const callback = args[6];
    this.#meter.countRequest();
    this.#pendingCount++;
    let isPending = true;
    args[6] = (error, answer) => {
      if (isPending) this.#pendingCount--;
      isPending = false;
      if (this.#pendingCount === 0) this.#beginRenewal();
      callback(error, answer);
    };
    super.send<Answer>(...args);
  }

  #beginRenewal(): void {
    const begin = this.#whenIdle;
    this.#whenIdle = null;
    begin?.();
  }

  /** Held requests go out, or fail on a connection that is lost. */
  #endRenewal(): void {
    this.#isRenewing = false;
    this.#whenIdle = null;
    const held = this.#held;
    this.#held = [];
    for (const send of held) send();
  }
}
