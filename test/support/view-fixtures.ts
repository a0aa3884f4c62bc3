/**
 * Views of an invented fleet in which every state of the pages occurs at least once. Figures of one row agree with each
 * other; names and clusters are invented.
 */
import type { ClusterView } from "#lib/clusters/cluster-view.ts";
import type { Estimate, MeasurementMode, PartitionMeasurement } from "#lib/compaction/measurement.ts";
import { exactly } from "#lib/compaction/measurement.ts";
import type { FleetRow, FleetView, Reading } from "#lib/topics/fleet-view.ts";

/** 1 Dec 2026 03:12:09 UTC. */
export const READ_AT = Date.UTC(2026, 11, 1, 3, 12, 9);
export const MINUTE = 60_000;
export const MIB = 1024 * 1024;

export const around = (value: number, error: number): Estimate => ({
  value,
  low: value * (1 - error),
  high: value * (1 + error),
  exact: false,
});

export const between = (low: number, high: number): Estimate => ({ value: null, low, high, exact: false });

export function aCluster(overrides: Partial<ClusterView> = {}): ClusterView {
  return {
    id: "prod-eu1",
    system: "kafka",
    software: "Apache Kafka 4.4",
    brokerClusterId: "q1Sh-9_ISia_zwGINzRvyQ",
    state: "live",
    lastPolledAt: READ_AT - 9_000,
    lastAttemptAt: READ_AT - 9_000,
    error: null,
    pollIntervalMs: 10_000,
    topicCount: 212,
    compactedTopicCount: 41,
    ...overrides,
  };
}

interface PartitionShape {
  topic?: string;
  partition?: number;
  mode?: MeasurementMode;
  logStart?: number;
  logEnd?: number;
  bytes?: number;
  /** Shares of the bytes: clean, cleanable, active; what is left over is held or too young. */
  clean?: number;
  cleanable?: number;
  active?: number;
  /** Clean point as a share of the offsets, or an interval of such shares. */
  cleanTo?: number | [number, number];
  activeFrom?: number;
  /** Share of the offsets at which an open transaction begins. */
  heldFrom?: number | null;
  /** Share of offsets still kept at the clean section's start and end. */
  density?: [number, number];
}

/** A measured partition whose shape, counts and ratio agree with each other. */
export function aPartition(
  wanted: PartitionShape = {},
  overrides: Partial<PartitionMeasurement> = {},
): PartitionMeasurement {
  const {
    topic = "customer.shipping-address.v2",
    partition = 0,
    mode = "probe",
    logStart = 0,
    logEnd = 24_846_230,
  } = wanted;
  const { bytes = 269 * MIB, clean = 0.7, cleanable = 0.16, active = 0.14, cleanTo = 0.93, heldFrom = null } = wanted;
  const [densityLow, densityHigh] = wanted.density ?? [0.008, 0.34];
  const span = logEnd - logStart;
  const offset = (share: number): number => Math.round(logStart + share * span);
  const [low, high] = typeof cleanTo === "number" ? [cleanTo, cleanTo] : cleanTo;
  const activeBase = offset(wanted.activeFrom ?? 0.985);
  const lastStable = heldFrom === null ? logEnd : offset(heldFrom);
  const uncleanable = Math.min(lastStable, activeBase);
  const exactPoint = low === high;
  const cleanBytes = exactPoint ? exactly(clean * bytes) : between(clean * bytes, (clean + cleanable * 0.6) * bytes);
  const rest = (clean + cleanable) * bytes;
  const cleanableBytes = exactPoint
    ? exactly(cleanable * bytes)
    : between(rest - cleanBytes.high, rest - cleanBytes.low);
  const ratio = rest === 0 ? 0 : (cleanable * bytes) / rest;
  const windows = 40;
  return {
    topic,
    partition,
    mode,
    logStartOffset: logStart,
    logEndOffset: logEnd,
    offsetSpan: span,
    bytes,
    retainedRecords: around(span * 0.04, 0.018),
    distinctKeys: null,
    liveKeys: null,
    tombstones: null,
    nullKeyRecords: null,
    supersededRecords: null,
    heldRecords: logEnd - lastStable,
    cleanPoint: { low: offset(low), high: offset(high) },
    activeSegmentBase: { low: activeBase, high: activeBase },
    dirtyRatio: exactPoint ? exactly(ratio) : between(Math.max(0, ratio - 0.2), ratio),
    removableShare: between(0.02, 0.09),
    replicas: null,
    fetches: 11,
    fetchedBytes: 690_000,
    positionCost: mode === "probe" ? { fetches: 7, fetchedBytes: 391_000 } : null,
    durationMs: 41,
    warnings: [],
    shape: {
      lastStableOffset: lastStable,
      firstUncleanableOffset: { low: uncleanable, high: uncleanable },
      cleanBytes,
      cleanableBytes,
      activeBytes: exactly(active * bytes),
      kept: Array.from({ length: windows }, (_, index) => ({
        from: offset((high * index) / windows),
        to: offset((high * (index + 1)) / windows),
        share: densityLow + (densityHigh - densityLow) * (index / windows) ** 3 * (0.9 + (0.2 * ((index * 7) % 5)) / 5),
      })),
    },
    measuredAt: READ_AT - 3 * MINUTE,
    ...overrides,
  };
}

function reading(estimate: Estimate, method: Reading["method"], ageMs: number): Reading {
  return { estimate, method, measuredAt: READ_AT - ageMs };
}

interface RowShape {
  keys?: Estimate | null;
  kept?: Estimate | null;
  written?: number;
  mode?: MeasurementMode;
  ageMs?: number;
  removable?: Estimate | null;
}

export function aFleetRow(overrides: Partial<FleetRow> = {}, shape: RowShape = {}): FleetRow {
  const { mode = "probe", ageMs = 3 * MINUTE, written = 148_902_331 } = shape;
  const worst = overrides.worst === undefined ? aPartition({ topic: overrides.topic }) : overrides.worst;
  const { keys = null, kept = around(6_204_881, 0.019), removable = between(0.02, 0.09) } = shape;
  return {
    clusterId: "prod-eu1",
    topic: "customer.shipping-address.v2",
    cleanupPolicy: "compact",
    partitionCount: 6,
    internal: false,
    worst,
    keys: keys && reading(keys, "scan", ageMs),
    kept: kept && reading(kept, mode, ageMs),
    written: reading(between(0, written), "offsets", 9_000),
    dirtyRatio: worst?.dirtyRatio ? reading(worst.dirtyRatio, mode, ageMs) : null,
    dirtyRatioLimit: 0.5,
    removableShare: removable && reading(removable, mode, ageMs),
    measuredAt: worst ? READ_AT - ageMs : null,
    mode: worst ? mode : null,
    note: null,
    ...overrides,
  };
}

const UNMEASURED: Partial<FleetRow> = {
  worst: null,
  keys: null,
  kept: null,
  dirtyRatio: null,
  removableShare: null,
  measuredAt: null,
  mode: null,
};

/** A name that a broker would refuse, as a hostile or broken store would hold it. */
export const HOSTILE_NAMES: readonly string[] = [
  "<img src=x onerror=alert(1)>",
  "pay\u202etuo.\u2066txt\u0007\nnext",
  `long.${"x".repeat(240)}.end`,
];

const ROWS: FleetRow[] = [
  aFleetRow(
    {
      worst: aPartition({
        partition: 3,
        bytes: 778 * MIB,
        clean: 0.27,
        cleanable: 0.004,
        active: 0.11,
        cleanTo: 0.9233,
        heldFrom: 0.9234,
      }),
    },
    { keys: exactly(4_188_204), kept: exactly(6_204_881), mode: "scan", removable: exactly(0.66) },
  ),
  aFleetRow(
    {
      topic: "iam.entitlement.grants",
      cleanupPolicy: "compact,delete",
      worst: aPartition({ logStart: 61_204, clean: 0.6, cleanable: 0.14, active: 0.26 }),
      note: "cleanup.policy also deletes by age or size: keys that are not written again disappear.",
    },
    { keys: exactly(1_210_044), kept: exactly(1_440_871), written: 88_100_201, mode: "scan" },
  ),
  aFleetRow(
    {
      topic: "platform.feature-flags",
      clusterId: "prod-ap1",
      worst: aPartition(
        { logEnd: 61_300, bytes: 41 * MIB, clean: 0, cleanable: 0, active: 1, cleanTo: 0, activeFrom: 0 },
        { removableShare: exactly(0.98) },
      ),
    },
    {
      keys: exactly(1_180),
      kept: exactly(61_300),
      written: 61_300,
      mode: "scan",
      ageMs: 12 * MINUTE,
      removable: exactly(0.98),
    },
  ),
  aFleetRow(
    {
      topic: "device.config.desired",
      clusterId: "prod-ap1",
      worst: aPartition(
        { clean: 0.48, cleanable: 0.44, active: 0.08, cleanTo: 0.71, activeFrom: 0.97 },
        {
          replicas: [
            {
              brokerId: 1,
              leader: true,
              bytes: 269 * MIB,
              cleanPoint: { low: 17_640_823, high: 17_640_823 },
              state: "ok",
            },
            { brokerId: 4, leader: false, bytes: 915 * MIB, cleanPoint: { low: 0, high: 0 }, state: "cleaner-off" },
          ],
        },
      ),
    },
    { kept: around(15_800_000, 0.02), written: 731_000_000, ageMs: 61 * MINUTE },
  ),
  aFleetRow(
    {
      topic: "pricing.catalog.by-sku",
      clusterId: "prod-us1",
      worst: aPartition({ clean: 0.38, cleanable: 0.52, active: 0.1, cleanTo: 0.62, activeFrom: 0.95 }),
    },
    { keys: exactly(5_820_013), kept: around(6_900_000, 0.02), written: 402_000_000, ageMs: 26 * MINUTE },
  ),
  aFleetRow(
    {
      topic: "orders.order.state",
      clusterId: "prod-us1",
      worst: aPartition(
        { clean: 0.44, cleanable: 0.41, active: 0.15, cleanTo: [0, 0.85], activeFrom: 0.86, density: [0.96, 0.97] },
        {
          warnings: [
            {
              code: "no-rewrites",
              message: "Nothing was rewritten in between, so that nobody outside can tell where the cleaner stands.",
            },
          ],
        },
      ),
    },
    {
      keys: around(412_000_000, 0.004),
      kept: around(431_000_000, 0.012),
      written: 449_000_000,
      ageMs: 5 * 60 * MINUTE,
    },
  ),
  aFleetRow(
    { topic: "ledger.account.balance", worst: aPartition({ clean: 0.63, cleanable: 0.28, active: 0.09 }) },
    { kept: around(1_610_000, 0.012), written: 512_000_000, ageMs: 9 * MINUTE },
  ),
  aFleetRow(
    {
      topic: "crm.contact.preferences",
      worst: aPartition(
        { mode: "scan", clean: 0.78, cleanable: 0.13, active: 0.09 },
        { nullKeyRecords: exactly(4112) },
      ),
    },
    { keys: exactly(4_160_220), kept: exactly(4_710_938), written: 58_900_310, mode: "scan", ageMs: 6 * MINUTE },
  ),
  aFleetRow(
    { topic: "geo.zone", clusterId: "prod-ap1", ...UNMEASURED, note: "Not measured yet." },
    { written: 18_204_551 },
  ),
  aFleetRow({
    topic: "partner.feed.assets",
    clusterId: "stage-eu1",
    ...UNMEASURED,
    note: "A partition could not be measured: the worker may not read this topic (Read on the topic is missing).",
  }),
  aFleetRow(
    { topic: "cart.items.v1", clusterId: "stage-eu1", worst: aPartition({}, { measuredAt: READ_AT - 22 * MINUTE }) },
    { kept: around(70_118, 0.03), written: 1_204_110, ageMs: 22 * MINUTE },
  ),
  aFleetRow(
    {
      topic: "empty.topic",
      worst: aPartition({
        logStart: 0,
        logEnd: 0,
        bytes: 0,
        clean: 0,
        cleanable: 0,
        active: 0,
        cleanTo: 0,
        activeFrom: 0,
      }),
    },
    { keys: exactly(0), kept: exactly(0), written: 0, mode: "scan", removable: exactly(0) },
  ),
  ...HOSTILE_NAMES.map((topic) =>
    aFleetRow({ topic, worst: aPartition({ clean: 0.82, cleanable: 0.1, active: 0.08 }) }),
  ),
];

export const FLEET: FleetView = {
  readAt: READ_AT,
  clusters: [
    aCluster(),
    aCluster({ id: "prod-us1", lastPolledAt: READ_AT - 11_000, topicCount: 377, compactedTopicCount: 2 }),
    aCluster({
      id: "prod-ap1",
      software: "Apache Kafka 4.0",
      lastPolledAt: READ_AT - 7_000,
      topicCount: 201,
      compactedTopicCount: 3,
    }),
    aCluster({
      id: "stage-eu1",
      state: "stale",
      lastPolledAt: READ_AT - 22 * MINUTE,
      lastAttemptAt: READ_AT - 12_000,
      error: "Broker 2 (stage-2:9092) refuses connections. Check that it runs and that the worker may reach this port.",
      compactedTopicCount: 2,
    }),
    aCluster({
      id: "lab",
      software: null,
      brokerClusterId: null,
      state: "never",
      lastPolledAt: null,
      lastAttemptAt: READ_AT - 30_000,
      error: "No address of lab.internal:9092 answers. Check the servers of this cluster in the configuration file.",
      topicCount: 0,
      compactedTopicCount: 0,
    }),
  ],
  rows: ROWS,
};

/** A fleet of any size, for speed. */
export function aLargeFleet(count: number): FleetView {
  const rows = Array.from({ length: count }, (_, index) => {
    const row = ROWS[index % 8] as FleetRow;
    return { ...row, topic: `${row.topic}.${index.toString().padStart(5, "0")}` };
  });
  return { ...FLEET, rows };
}
