/** Kinds of compacted topics that measuring has to be right about, each with what can be expected of it. */
import type { ProducePhase } from "./producer.ts";

export type ShapeStep =
  /** Sizes are of the larger partition; each partition writes a share of it that the seed picks. */
  | { do: "produce"; phase: ProducePhase }
  | { do: "configure"; configs: Record<string, string> }
  /** Moves the log start to about this share of the log. */
  | { do: "delete-records"; share: number };

export interface ShapeExpectations {
  /** Something was written again, so that the clean point can be told exactly. Counts into "exact in 90 %". */
  rewrites: boolean;
  /** Aborted and open transactions: only a read_committed reader's counts are the truth. */
  counts: "disk" | "read-committed";
  /**
   * `disk`: the truth tool's ratio holds. `interval`: nobody outside can know it, an interval has to hold it.
   * `lag`: the truth tool does not know `min.compaction.lag.ms`.
   */
  ratio: "disk" | "interval" | "lag";
}

export interface TopicShape {
  name: string;
  configs: Record<string, string>;
  /** Steps of a round run one after another; between rounds the cleaner comes to rest. */
  rounds: ShapeStep[][];
  /** server.properties without which the shape does not come about: it needs a cluster of its own. */
  broker?: Record<string, string>;
  expect: ShapeExpectations;
}

export const SHAPE_PARTITIONS = 2;

const MIB = 1024 * 1024;
const COMPACTED = {
  "cleanup.policy": "compact",
  "segment.bytes": String(MIB),
  // High, so that a part that was not cleaned stays above the cleaned one.
  "min.cleanable.dirty.ratio": "0.8",
};
const REWRITTEN: ShapeExpectations = { rewrites: true, counts: "disk", ratio: "disk" };
const NOT_REWRITTEN: ShapeExpectations = { rewrites: false, counts: "disk", ratio: "interval" };

const write = (phase: ProducePhase): ShapeStep => ({ do: "produce", phase });

interface ShapeDetails {
  configs?: Record<string, string>;
  broker?: Record<string, string>;
  expect?: Partial<ShapeExpectations>;
}

const shape = (name: string, rounds: ShapeStep[][], details: ShapeDetails = {}): TopicShape => ({
  name,
  configs: { ...COMPACTED, ...details.configs },
  rounds,
  ...(details.broker ? { broker: details.broker } : {}),
  expect: { ...REWRITTEN, ...details.expect },
});

/** Written, cleaned, and some more written. */
const twice = (phase: ProducePhase, more: number): ShapeStep[][] => [
  [write(phase)],
  [write({ ...phase, records: more })],
];

const keySpaces: TopicShape[] = [
  shape("zipf", twice({ records: 60_000, keys: { kind: "zipf", count: 20_000 }, batch_records: 200 }, 15_000)),
  shape("uniform-small", twice({ records: 60_000, keys: { kind: "uniform", count: 200 } }, 20_000)),
  shape("uniform-large", twice({ records: 90_000, keys: { kind: "uniform", count: 40_000 } }, 25_000)),
  shape(
    "hot-keys",
    twice({ records: 60_000, keys: { kind: "hot", count: 30_000, hot_count: 10, hot_share: 0.5 } }, 20_000),
  ),
  shape("orders", [[write({ records: 60_000, keys: { kind: "sequential" }, batch_records: 50 })]], {
    expect: NOT_REWRITTEN,
  }),
  shape("order-events", [[write({ records: 70_000, keys: { kind: "sequential", each: 3, spread: 150 } })]]),
  shape("rewritten-1-percent", twice({ records: 80_000, keys: { kind: "rewritten", share: 0.01 } }, 20_000)),
  shape("rewritten-0.1-percent", twice({ records: 80_000, keys: { kind: "rewritten", share: 0.001 } }, 20_000)),
  shape("hole", [[write({ records: 70_000, keys: { kind: "runs", length: 100 }, batch_records: 100 })]]),
  shape("schema-ids", [
    [write({ records: 40_000, keys: { kind: "uniform", count: 8000, form: "schema-id", schema_id: 7 } })],
    [write({ records: 30_000, keys: { kind: "uniform", count: 8000, form: "schema-id", schema_id: 8 } })],
  ]),
];

const tombstones: TopicShape[] = [
  shape(
    "tombstones-20",
    twice({ records: 60_000, keys: { kind: "uniform", count: 20_000 }, tombstone_share: 0.2 }, 20_000),
  ),
  shape(
    "tombstones-50",
    twice({ records: 80_000, keys: { kind: "uniform", count: 15_000 }, tombstone_share: 0.5 }, 40_000),
    { configs: { "delete.retention.ms": "500" } },
  ),
];

const batches: TopicShape[] = [
  shape(
    "batch-of-1",
    twice({ records: 9000, keys: { kind: "uniform", count: 2000 }, batch_records: 1, value_bytes: [300, 900] }, 3000),
  ),
  shape(
    "batch-of-10000",
    twice(
      {
        records: 200_000,
        keys: { kind: "uniform", count: 40_000 },
        batch_records: 10_000,
        value_bytes: [10, 30],
      },
      60_000,
    ),
  ),
  shape(
    "large-batches",
    twice(
      { records: 4000, keys: { kind: "uniform", count: 800 }, value_bytes: [8000, 10_000], batch_records: 10_000 },
      1000,
    ),
    { configs: { "segment.bytes": String(4 * MIB) } },
  ),
  ...(["gzip", "snappy", "lz4", "zstd"] as const).map((compression) =>
    shape(
      compression,
      twice(
        {
          records: 60_000,
          keys: { kind: "zipf", count: 20_000 },
          value_bytes: [100, 400],
          compressible: true,
          compression,
        },
        20_000,
      ),
    ),
  ),
];

const transactions: TopicShape[] = [
  shape(
    "transactions",
    twice(
      {
        records: 40_000,
        keys: { kind: "uniform", count: 8000 },
        transaction: { records: 200, abort_share: 0.25 },
      },
      10_000,
    ),
    { expect: { counts: "read-committed" } },
  ),
  shape(
    "transactions-of-5",
    [
      [
        write({ records: 1500, keys: { kind: "uniform", count: 400 }, transaction: { records: 5, abort_share: 0.25 } }),
        write({ records: 25_000, keys: { kind: "uniform", count: 4000 } }),
      ],
      [write({ records: 800, keys: { kind: "uniform", count: 400 }, transaction: { records: 5, abort_share: 0.25 } })],
    ],
    { expect: { counts: "read-committed" } },
  ),
  shape("several-producers", [
    [
      write({
        records: 40_000,
        keys: { kind: "uniform", count: 3000 },
        idempotent: true,
        producers: 6,
        batch_records: 100,
      }),
    ],
  ]),
  shape(
    "open-transaction",
    [
      [write({ records: 40_000, keys: { kind: "uniform", count: 12_000 } })],
      [
        write({
          records: 100,
          keys: { kind: "uniform", count: 12_000 },
          transaction: { records: 100, leave_open: true },
        }),
        write({ records: 30_000, keys: { kind: "uniform", count: 12_000 } }),
      ],
    ],
    { expect: { counts: "read-committed" } },
  ),
];

const THREE_HOURS_MS = 3 * 3_600_000;
const written = { kind: "uniform", count: 10_000 } as const;

const policies: TopicShape[] = [
  shape(
    "compact-delete",
    [
      [write({ records: 50_000, keys: { kind: "uniform", count: 20_000 } })],
      [{ do: "delete-records", share: 0.3 }, write({ records: 12_000, keys: { kind: "uniform", count: 20_000 } })],
    ],
    { configs: { "cleanup.policy": "compact,delete" } },
  ),
  shape(
    "null-keys",
    [
      [
        write({ records: 30_000, keys: written, null_key_share: 0.2 }),
        // A tail without any key: it goes entirely, right below the clean point.
        write({ records: 300, keys: written, null_key_share: 1 }),
        write({ records: 20_000, keys: written }),
        write({ records: 2000, keys: written, null_key_share: 0.5 }),
        { do: "configure", configs: { "cleanup.policy": "compact" } },
      ],
    ],
    { configs: { "cleanup.policy": "delete" } },
  ),
  shape(
    "compaction-lag",
    [
      [
        write({
          records: 40_000,
          keys: written,
          timestamps: { start_ms: Date.now() - THREE_HOURS_MS, step_ms: 10 },
        }),
      ],
      [write({ records: 30_000, keys: written })],
    ],
    { configs: { "min.compaction.lag.ms": "3600000" }, expect: { ratio: "lag" } },
  ),
  shape("ratio-0.9", [[write({ records: 60_000, keys: { kind: "uniform", count: 4000 } })]], {
    configs: { "min.cleanable.dirty.ratio": "0.9" },
  }),
  shape(
    "segment-ms",
    [
      [
        write({
          records: 60_000,
          keys: written,
          timestamps: { start_ms: Date.now() - THREE_HOURS_MS, step_ms: 20 },
        }),
      ],
    ],
    { configs: { "segment.bytes": String(64 * MIB), "segment.ms": "120000" } },
  ),
];

const sizes: TopicShape[] = [
  shape("tiny", [[write({ records: 50, keys: { kind: "uniform", count: 20 }, batch_records: 10 })]], {
    expect: { rewrites: false, ratio: "disk" },
  }),
  shape("active-only", [[write({ records: 25_000, keys: { kind: "uniform", count: 300 } })]], {
    configs: { "segment.bytes": String(100 * MIB) },
    expect: { rewrites: false, ratio: "disk" },
  }),
];

/** Shapes that get along on one broker. */
export const SHAPES: readonly TopicShape[] = [
  ...keySpaces,
  ...tombstones,
  ...batches,
  ...transactions,
  ...policies,
  ...sizes,
];

/** The cleaner's offset map holds about 41,000 keys: the clean point ends up inside a segment. */
export const MAP_FULL_SHAPE: TopicShape = shape(
  "map-full",
  [[write({ records: 150_000, keys: { kind: "uniform", count: 1_000_000 } })]],
  {
    configs: { "min.cleanable.dirty.ratio": "0.5" },
    broker: { "log.cleaner.dedupe.buffer.size": "1100000", "log.cleaner.threads": "1" },
    expect: { ratio: "interval" },
  },
);

/** 100 MiB segments and 400 MB that no cleaner has touched, above a cleaned part. */
export const BIG_SHAPE: TopicShape = shape(
  "big",
  [
    [
      write({
        records: 24_000,
        keys: { kind: "uniform", count: 2000 },
        value_bytes: [9000, 11_000],
        batch_records: 60,
      }),
    ],
    [
      write({
        records: 44_000,
        keys: { kind: "uniform", count: 9000 },
        value_bytes: [9000, 11_000],
        batch_records: 60,
      }),
    ],
  ],
  { configs: { "segment.bytes": String(100 * MIB), "min.cleanable.dirty.ratio": "0.98" } },
);
