// The demo's topics: each shows one thing that happens to compacted topics. All names and contents are invented.
//
// `initial`: records written once, at the first start. `perSecond`: written from then on; the sum over all topics stays far below
// 200 records/s, and what is never removed (orders, active segments) grows by less than 60 MB a day altogether.
import { address, balance, consent, invoice, loyalty, offer, order, product, session, stockLevel } from "./records.mjs";

/** Small segments (1 MiB is the least that Kafka 4 takes) that are rolled by time, so that the cleaner always has something to do. */
const rolling = (seconds) => ({ "segment.bytes": "1048576", "segment.ms": String(seconds * 1000) });

/**
 * @typedef {object} DemoTopic
 * @property {string} name
 * @property {number} partitions
 * @property {Record<string, string>} config
 * @property {number} initial
 * @property {number} perSecond
 * @property {(n: number) => {key: string | null, value: string | null}} record the n-th record of the topic, n from 0
 * @property {"lz4" | "zstd"} [compression]
 * @property {(n: number) => {key: string | null, value: string | null}} [initialRecord] where the first ones are of another kind
 * @property {Record<string, string>} [configAfterInitial] set once the initial records are written
 * @property {number} [partitionsAfterInitial] raised to, once the initial records are written
 */

/** @type {DemoTopic[]} */
export const DEMO_TOPICS = [
  {
    // Healthy: rewritten keys, compacted every few seconds.
    name: "customer.address.v2",
    partitions: 4,
    config: { "cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.01", ...rolling(5) },
    initial: 100_000,
    perSecond: 40,
    record: address,
  },
  {
    // An event stream in the clothes of a table: every key is new, compaction removes nothing.
    name: "orders.order-state",
    partitions: 6,
    config: { "cleanup.policy": "compact", ...rolling(60) },
    initial: 120_000,
    perSecond: 1,
    record: order,
  },
  {
    // Default segments: the whole backlog lies in the active segment, which the cleaner never touches.
    name: "inventory.stock-level",
    partitions: 2,
    config: { "cleanup.policy": "compact" },
    initial: 80_000,
    perSecond: 2,
    record: stockLevel,
  },
  {
    // Gives the snapshot guarantee up: old keys go away by time.
    name: "web.active-session",
    partitions: 2,
    config: { "cleanup.policy": "compact,delete", "retention.ms": "900000", ...rolling(30) },
    initial: 20_000,
    perSecond: 6,
    record: session,
  },
  {
    // Records without a key, from the time before the topic was compacted.
    name: "billing.invoice",
    partitions: 1,
    config: { "cleanup.policy": "delete" },
    initial: 20_000,
    perSecond: 1,
    record: invoice,
    initialRecord: (n) => (n % 8 === 0 ? { ...invoice(n), key: null } : invoice(n)),
    configAfterInitial: { "cleanup.policy": "compact" },
  },
  {
    // Most keys are deleted again: tombstones wait for delete.retention.ms.
    name: "customer.consent",
    partitions: 3,
    config: { "cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.1", ...rolling(20) },
    initial: 60_000,
    perSecond: 8,
    record: consent,
  },
  {
    // An import that never ends holds a transaction open (open-transaction.mjs): nothing after it may be read or cleaned.
    name: "payments.ledger-balance",
    partitions: 2,
    config: { "cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.1", ...rolling(20) },
    initial: 40_000,
    perSecond: 3,
    record: balance,
  },
  {
    name: "catalog.product",
    partitions: 2,
    config: { "cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.2", ...rolling(20) },
    initial: 30_000,
    perSecond: 5,
    record: product,
    compression: "lz4",
  },
  {
    name: "pricing.offer",
    partitions: 2,
    config: { "cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.2", ...rolling(20) },
    initial: 30_000,
    perSecond: 5,
    record: offer,
    compression: "zstd",
  },
  {
    // The partition count was raised later: old and new values of one key lie in different partitions.
    name: "loyalty.points",
    partitions: 2,
    config: { "cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.2", ...rolling(20) },
    initial: 15_000,
    perSecond: 4,
    record: loyalty,
    partitionsAfterInitial: 4,
  },
];

/** Written inside the transaction that stays open. */
export const TRANSACTION_TOPIC = "payments.ledger-balance";
