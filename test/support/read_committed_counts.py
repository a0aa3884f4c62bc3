#!/usr/bin/env python3
"""What a read_committed reader gets from each partition up to the last stable offset, counted by librdkafka.

    read_committed_counts.py SERVERS TOPIC PARTITION...

Prints one JSON object per partition with the same names as kafka_log_truth.py: retained_records, distinct_keys,
live_keys, tombstones, null_key_records, superseded_records, and last_stable_offset. Topics must be at rest.
"""
import json
import sys

from confluent_kafka import Consumer, KafkaError, TopicPartition


def count(servers, topic, partition):
    consumer = Consumer({
        "bootstrap.servers": servers, "group.id": "read-committed-counts", "enable.auto.commit": False,
        "isolation.level": "read_committed", "enable.partition.eof": True, "auto.offset.reset": "earliest",
        "check.crcs": True, "fetch.wait.max.ms": 50,
    })
    low, end = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=30)
    consumer.assign([TopicPartition(topic, partition, low)])
    latest, total, nulls, tombstones, stable = {}, 0, 0, 0, None
    while stable is None:
        for message in consumer.consume(10_000, 0.2):
            if message.error():
                if message.error().code() != KafkaError._PARTITION_EOF:
                    raise SystemExit(str(message.error()))
                # The end of a read_committed reader is the last stable offset.
                stable = message.offset()
                continue
            total += 1
            if message.key() is None:
                nulls += 1
                continue
            tombstones += message.value() is None
            latest[message.key()] = message.value() is None
    consumer.close()
    return {
        "partition": f"{topic}-{partition}", "log_end_offset": end, "last_stable_offset": stable,
        "retained_records": total, "distinct_keys": len(latest), "live_keys": sum(not t for t in latest.values()),
        "tombstones": tombstones, "null_key_records": nulls, "superseded_records": total - nulls - len(latest),
    }


if __name__ == "__main__":
    for number in sys.argv[3:]:
        print(json.dumps(count(sys.argv[1], sys.argv[2], int(number))))
