/** What to do about a standing, in words and, where there is one, as a command to copy. Pure. */
import { quoteForShell } from "#components/ui/name-text.ts";
import type { Standing } from "#lib/topics/standing.ts";

export interface Remedy {
  text: string;
  /** `$BOOTSTRAP` stands for the cluster's servers; null where no command helps or the name can't be written safely. */
  command: string | null;
}

export function findRemedy({ id, partition, brokerId }: Standing, topic: string): Remedy | null {
  const name = quoteForShell(topic);
  const configure = (setting: string): string | null =>
    name &&
    `kafka-configs.sh --bootstrap-server "$BOOTSTRAP" --alter --entity-type topics --entity-name ${name} --add-config ${setting}`;
  switch (id) {
    case "held":
      return {
        text: "Find out whether a coordinator still knows the transaction. If one does, its producer must end it; if none does, it hangs and can be aborted.",
        command:
          name &&
          `kafka-transactions.sh --bootstrap-server "$BOOTSTRAP" find-hanging --topic ${name} --partition ${partition ?? 0}`,
      };
    case "never-rolled":
      return {
        text: "Let its segments roll sooner. This makes them roll once a day, as soon as the next record is written.",
        command: configure("segment.ms=86400000"),
      };
    case "also-deletes":
      return {
        text: "If each key's last value must stay, let compaction be the only policy. What was deleted does not come back.",
        command: configure("cleanup.policy=compact"),
      };
    case "replica-cleaner-off":
      return {
        text: `Check log.cleaner.enable of broker ${brokerId}, and look for "log cleaner" in its log: an error that stopped its cleaner is there. Once its cause is gone, restart that broker.`,
        command: null,
      };
    case "replica-quarantined":
      return {
        text: `Look for "log cleaner" in the log of broker ${brokerId}: the error that stopped it is there. Once its cause is gone, restart that broker.`,
        command: null,
      };
    case "replica-behind":
      return { text: "If it stays behind for some probes, look at the cleaner of that broker.", command: null };
    case "null-keys":
      return {
        text: "Find the producer that writes without a key: Kafka refuses such records while the policy is compact.",
        command: null,
      };
    case "due":
      return {
        text: "Nothing, for as long as it does not last. If it does, look at the brokers' cleaner threads and their throughput.",
        command: null,
      };
    default:
      return null;
  }
}
