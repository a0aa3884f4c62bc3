#!/usr/bin/env python3
"""The records of one partition as librdkafka reads them, up to the log end or (read_committed) the last stable offset.

    read_records.py SERVERS TOPIC PARTITION read_committed|read_uncommitted

Prints one JSON array a record: [offset, timestamp, key as hex or null, is a tombstone].
"""
import json
import sys

from confluent_kafka import Consumer, KafkaError, TopicPartition


def main(servers, topic, partition, isolation):
    consumer = Consumer({
        "bootstrap.servers": servers, "group.id": "read-records", "enable.auto.commit": False,
        "isolation.level": isolation, "enable.partition.eof": True, "check.crcs": True, "fetch.wait.max.ms": 50,
    })
    low, _ = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=30)
    consumer.assign([TopicPartition(topic, partition, low)])
    while True:
        for message in consumer.consume(10_000, 0.2):
            if message.error():
                if message.error().code() == KafkaError._PARTITION_EOF:
                    return consumer.close()
                raise SystemExit(str(message.error()))
            key = message.key()
            print(json.dumps([
                message.offset(), message.timestamp()[1], key if key is None else key.hex(), message.value() is None,
            ]))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
