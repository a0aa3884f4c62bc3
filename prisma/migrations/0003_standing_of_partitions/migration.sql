-- Of each topic the fleet shows the partition that stands worst. How a partition stands is decided from its whole
-- measurement: it is noted when that is stored, so that a fleet is read without the payloads of all partitions.
ALTER TABLE "measurement" ADD COLUMN "standing_rank" SMALLINT, ADD COLUMN "has_shape" BOOLEAN;

UPDATE "measurement" SET "has_shape" = "payload" -> 'shape' IS DISTINCT FROM 'null'::jsonb
WHERE "newest" AND "partition" >= 0;
