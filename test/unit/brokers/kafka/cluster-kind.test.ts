import { expect, test } from "vitest";
import { describeCapability } from "#lib/brokers/capabilities.ts";
import { recogniseCluster } from "#lib/brokers/kafka/cluster-kind.ts";
import type { OfferedVersions } from "#lib/brokers/kafka/wire-api.ts";

function offer(
  levels: { offered?: number; finalized?: number },
  apiKeys: number[] = [0, 1, 2, 3, 18],
): OfferedVersions {
  const feature = (maxVersion?: number) => (maxVersion === undefined ? [] : [{ name: "metadata.version", maxVersion }]);
  return {
    ranges: new Map(apiKeys.map((key) => [key, { min: 0, max: 1 }])),
    supportedFeatures: feature(levels.offered),
    finalizedFeatures: feature(levels.finalized),
  };
}

test.each([
  [33, "4.4"],
  [32, "4.3"],
  [25, "4.0"],
  [21, "3.9"],
  [11, "3.5"],
  [99, "4.4"],
])("a broker that offers metadata.version %i is at least Kafka %s", (offered, version) => {
  expect(recogniseCluster(offer({ offered, finalized: 11 }))).toMatchObject({ name: "apache-kafka", version });
});

test("the release is what the software offers, not the level that an upgrade has put in force", () => {
  expect(recogniseCluster(offer({ offered: 33, finalized: 21 })).version).toBe("4.4");
});

test("requests of another vendor make it another system, whatever else it offers", () => {
  const kind = recogniseCluster(offer({ offered: 25, finalized: 25 }, [0, 1, 10_001, 501]));
  expect(kind).toMatchObject({ name: "other", evidence: expect.stringContaining("501, 10001") });
});

test("without the feature level it is another system, of unknown version", () => {
  expect(recogniseCluster(offer({}))).toMatchObject({ name: "other", version: null });
});

test("another system has no clean point, with the reason, and is scanned all the same", () => {
  const other = recogniseCluster(offer({}));
  expect(describeCapability(other, "clean-point")).toMatchObject({
    available: false,
    because: expect.stringContaining("not recognised as Apache Kafka"),
  });
  expect(describeCapability(other, "scan").available).toBe(true);
});
