-- CreateTable
CREATE TABLE "cluster" (
    "id" TEXT NOT NULL,
    "system" TEXT NOT NULL,
    "configured" BOOLEAN NOT NULL DEFAULT true,
    "broker_cluster_id" TEXT,
    "kind_name" TEXT,
    "kind_version" TEXT,
    "kind_evidence" TEXT,
    "brokers" JSONB NOT NULL DEFAULT '[]',
    "poll_interval_ms" INTEGER NOT NULL,
    "last_polled_at" TIMESTAMPTZ(3),
    "last_attempt_at" TIMESTAMPTZ(3),
    "last_error" TEXT,

    CONSTRAINT "cluster_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "cluster_traffic" (
    "cluster_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "client_id" TEXT NOT NULL,
    "requests" BIGINT NOT NULL DEFAULT 0,
    "sent_bytes" BIGINT NOT NULL DEFAULT 0,
    "received_bytes" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "cluster_traffic_pkey" PRIMARY KEY ("cluster_id","day","client_id")
);

-- CreateTable
CREATE TABLE "topic" (
    "id" BIGSERIAL NOT NULL,
    "cluster_id" TEXT NOT NULL,
    "topic_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "internal" BOOLEAN NOT NULL,
    "cleanup_policy" TEXT,
    "partition_count" INTEGER NOT NULL,
    "settings" JSONB NOT NULL DEFAULT '{}',
    "settings_at" TIMESTAMPTZ(3),
    "settings_error" TEXT,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "missing_since" TIMESTAMPTZ(3),
    "gone_at" TIMESTAMPTZ(3),

    CONSTRAINT "topic_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "partition_state" (
    "topic_ref" BIGINT NOT NULL,
    "partition" INTEGER NOT NULL,
    "leader" INTEGER,
    "leader_epoch" INTEGER NOT NULL,
    "log_start" BIGINT,
    "log_end" BIGINT,
    "last_stable" BIGINT,
    "offsets_at" TIMESTAMPTZ(3),
    "replicas" JSONB NOT NULL DEFAULT '[]',
    "probed_at" TIMESTAMPTZ(3),
    "probed_end" BIGINT,
    "probed_bytes" BIGINT,
    "probe_error" TEXT,

    CONSTRAINT "partition_state_pkey" PRIMARY KEY ("topic_ref","partition")
);

-- CreateTable
CREATE TABLE "measurement" (
    "id" BIGSERIAL NOT NULL,
    "topic_ref" BIGINT NOT NULL,
    "partition" INTEGER NOT NULL,
    "mode" TEXT NOT NULL,
    "measured_at" TIMESTAMPTZ(3) NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3) NOT NULL,
    "newest" BOOLEAN NOT NULL,
    "payload" JSONB,
    "replicas" JSONB,
    "distinct_keys" BIGINT,
    "retained_records" BIGINT,
    "written" BIGINT,
    "dirty_ratio" DOUBLE PRECISION,
    "removable_share" DOUBLE PRECISION,

    CONSTRAINT "measurement_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "key_sample" (
    "topic_ref" BIGINT NOT NULL,
    "partition" INTEGER NOT NULL,
    "sealed" BYTEA NOT NULL,
    "format_version" INTEGER NOT NULL,
    "made_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "key_sample_pkey" PRIMARY KEY ("topic_ref","partition")
);

-- CreateTable
CREATE TABLE "scan_request" (
    "id" UUID NOT NULL,
    "topic_ref" BIGINT NOT NULL,
    "state" TEXT NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "requested_by" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "progress" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "records_scanned" BIGINT NOT NULL DEFAULT 0,
    "bytes_read" BIGINT NOT NULL DEFAULT 0,
    "partitions_done" INTEGER NOT NULL DEFAULT 0,
    "partition_count" INTEGER NOT NULL,
    "remaining_ms" BIGINT,
    "error" TEXT,
    "worker_id" TEXT,
    "reported_at" TIMESTAMPTZ(3),
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "checkpoint_sealed" BYTEA,
    "checkpoint_at" TIMESTAMPTZ(3),

    CONSTRAINT "scan_request_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "worker" (
    "id" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "heartbeat_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "worker_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "lease" (
    "name" TEXT NOT NULL,
    "holder" TEXT NOT NULL,
    "epoch" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "lease_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "installation" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "secret_check" TEXT NOT NULL,

    CONSTRAINT "installation_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "topic_cluster_id_name_idx" ON "topic"("cluster_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "topic_cluster_id_topic_id_key" ON "topic"("cluster_id", "topic_id");

-- CreateIndex
CREATE INDEX "measurement_topic_ref_partition_measured_at_idx" ON "measurement"("topic_ref", "partition", "measured_at");

-- CreateIndex
CREATE INDEX "scan_request_topic_ref_requested_at_idx" ON "scan_request"("topic_ref", "requested_at");

-- AddForeignKey
ALTER TABLE "cluster_traffic" ADD CONSTRAINT "cluster_traffic_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "topic" ADD CONSTRAINT "topic_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "partition_state" ADD CONSTRAINT "partition_state_topic_ref_fkey" FOREIGN KEY ("topic_ref") REFERENCES "topic"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "measurement" ADD CONSTRAINT "measurement_topic_ref_fkey" FOREIGN KEY ("topic_ref") REFERENCES "topic"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "key_sample" ADD CONSTRAINT "key_sample_topic_ref_fkey" FOREIGN KEY ("topic_ref") REFERENCES "topic"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scan_request" ADD CONSTRAINT "scan_request_topic_ref_fkey" FOREIGN KEY ("topic_ref") REFERENCES "topic"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema language can't say.

-- One newest row for each topic, partition and mode; the fleet page reads these alone.
CREATE UNIQUE INDEX "measurement_newest" ON "measurement" ("topic_ref", "partition", "mode") WHERE "newest";

-- One scan of a topic at a time.
CREATE UNIQUE INDEX "scan_request_open" ON "scan_request" ("topic_ref") WHERE "state" IN ('queued', 'running', 'cancelling');

ALTER TABLE "measurement" ADD CONSTRAINT "measurement_mode" CHECK ("mode" IN ('probe', 'scan'));
ALTER TABLE "measurement" ADD CONSTRAINT "measurement_newest_has_payload" CHECK (NOT "newest" OR "payload" IS NOT NULL);
ALTER TABLE "scan_request" ADD CONSTRAINT "scan_request_state"
    CHECK ("state" IN ('queued', 'running', 'cancelling', 'cancelled', 'succeeded', 'failed'));

-- Ids of change events: rising, over all processes.
CREATE SEQUENCE "change_event_seq";

ALTER TABLE "installation" ADD CONSTRAINT "installation_one_row" CHECK ("id" = 1);
