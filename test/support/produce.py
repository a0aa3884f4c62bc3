#!/usr/bin/env python3
"""An independent Kafka producer (librdkafka) for tests, driven by one JSON object on standard input.

{
  "servers": "host:port", "topic": "t", "partition": 0, "seed": 1,
  "phases": [{
    "records": 10000,
    "keys": {"kind": "zipf", "count": 1000, "exponent": 1.1},   see KEYS below; "prefix", "form" (text, json, int64, schema-id)
    "value_bytes": [20, 200],              least and most; a tombstone has none
    "compressible": true,                  values of repeated words instead of random bytes
    "tombstone_share": 0.2, "null_key_share": 0.0,
    "batch_records": 100,                  a batch is sent when it holds so many, or when the phase ends
    "compression": "none",                 none, gzip, snappy, lz4, zstd
    "idempotent": false, "producers": 1,   so many producers take turns, batch by batch
    "transaction": {"records": 200, "abort_share": 0.25, "leave_open": false, "timeout_ms": 900000},
    "timestamps": {"start_ms": 1700000000000, "step_ms": 10}
  }]
}

KEYS: zipf {count, exponent}, uniform {count}, sequential {start, each, spread} (each
key `each` times; the further times lie `spread` keys later each), hot {count,
hot_count, hot_share}, rewritten {share} (sequential, and so large a share writes an earlier key again), runs {length}
(every second run of so many keys is written again by the run that follows the next one, until all are).

`leave_open` sends the records of one transaction and ends without committing or aborting it. Prints one JSON object:
{"records", "aborted", "open", "last_offset"}.
"""
import bisect
import itertools
import json
import os
import random
import struct
import sys

from confluent_kafka import Producer



def key_numbers(keys, records, rng):
    """One integer a record."""
    kind = keys["kind"]
    if kind == "uniform":
        for _ in range(records):
            yield rng.randrange(keys["count"])
    elif kind == "zipf":
        weights = itertools.accumulate(1 / (rank + 1) ** keys.get("exponent", 1.1) for rank in range(keys["count"]))
        cumulated = list(weights)
        for _ in range(records):
            yield bisect.bisect_left(cumulated, rng.random() * cumulated[-1])
    elif kind == "sequential":
        each, spread = keys.get("each", 1), keys.get("spread", 0)
        for i in range(records):
            yield keys.get("start", 0) + max(0, i // each - (i % each) * spread)
    elif kind == "hot":
        for _ in range(records):
            hot = rng.random() < keys["hot_share"]
            yield rng.randrange(keys["hot_count"] if hot else keys["count"])
    elif kind == "rewritten":
        fresh = keys.get("start", 0)
        for _ in range(records):
            if fresh > 0 and rng.random() < keys["share"]:
                yield rng.randrange(fresh)
            else:
                yield fresh
                fresh += 1
    elif kind == "runs":
        length = keys["length"]
        written = 0
        for run in itertools.count():
            first = run * length
            for number in itertools.chain(range(first, first + length), superseded_run(run, length)):
                if written == records:
                    return
                written += 1
                yield number
    else:
        raise SystemExit(f"unknown kind of keys: {kind}")


def superseded_run(run, length):
    """After every second run of keys, the run before the previous one again: it leaves a hole of its length."""
    if run < 2 or run % 2 == 1:
        return range(0)
    return range((run - 2) * length, (run - 1) * length)


def encode_key(number, keys):
    prefix, form = keys.get("prefix", "k-"), keys.get("form", "text")
    if form == "text":
        return f"{prefix}{number:08d}".encode()
    if form == "json":
        return json.dumps({"type": prefix, "id": number}).encode()
    if form == "int64":
        return struct.pack(">q", number)
    if form == "schema-id":
        return b"\0" + struct.pack(">i", keys.get("schema_id", 7)) + f"{prefix}{number}".encode()
    raise SystemExit(f"unknown form of keys: {form}")


def value_source(phase, rng):
    least, most = phase.get("value_bytes", [50, 150])
    pool = random_words(rng, most) if phase.get("compressible") else rng.randbytes(most * 2 + 1)
    return lambda: value_slice(pool, rng.randint(least, most), rng)


def random_words(rng, least_bytes):
    """Text that compresses to about a third, and no better for its being long."""
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 9))) for _ in range(2000)]
    return " ".join(rng.choices(words, k=100_000 + least_bytes)).encode()


def value_slice(pool, size, rng):
    start = rng.randrange(len(pool) - size)
    return pool[start:start + size]


def create_producer(spec, phase, number, outcome):
    batch = phase.get("batch_records", 100)
    conf = {
        "bootstrap.servers": spec["servers"],
        "client.id": f"test-producer-{number}",
        "acks": "all",
        "linger.ms": 60_000,  # a batch goes out when it is full, or by flush
        "batch.num.messages": batch,
        "batch.size": 900_000,
        "message.max.bytes": 1_000_000,
        "queue.buffering.max.messages": 2_000_000,
        "queue.buffering.max.kbytes": 1_000_000,
        "sticky.partitioning.linger.ms": 0,
        "compression.type": phase.get("compression", "none"),
        "enable.idempotence": bool(phase.get("idempotent") or phase.get("transaction")),
        "on_delivery": outcome.delivered,
    }
    transaction = phase.get("transaction")
    if transaction:
        conf["transactional.id"] = f"{spec['topic']}-{spec['partition']}-{spec['seed']}-{phase['number']}-{number}"
        conf["transaction.timeout.ms"] = transaction.get("timeout_ms", 900_000)
    producer = Producer(conf)
    if transaction:
        producer.init_transactions(60)
    return producer


class Outcome:
    def __init__(self):
        self.records = self.aborted = self.open = 0
        self.last_offset = -1

    def delivered(self, error, message):
        if error is not None:
            raise SystemExit(f"a record was not written: {error}")
        self.records += 1
        self.last_offset = max(self.last_offset, message.offset())


def records_of(phase, rng):
    """(key, value, timestamp or None)"""
    next_value = value_source(phase, rng)
    tombstones, nulls = phase.get("tombstone_share", 0), phase.get("null_key_share", 0)
    stamps = phase.get("timestamps")
    for i, number in enumerate(key_numbers(phase["keys"], phase["records"], rng)):
        key = None if rng.random() < nulls else encode_key(number, phase["keys"])
        value = None if key is not None and rng.random() < tombstones else next_value()
        yield key, value, stamps and stamps["start_ms"] + i * stamps["step_ms"]


def send(producer, spec, record):
    key, value, stamp = record
    while True:
        try:
            extra = {} if stamp is None else {"timestamp": stamp}
            producer.produce(spec["topic"], value, key, spec["partition"], **extra)
            return
        except BufferError:
            producer.poll(0.1)


def flush(producer):
    left = producer.flush(120)
    if left:
        raise SystemExit(f"{left} records were not written in 120 s")


def run_plain(spec, phase, rng, outcome):
    producers = [create_producer(spec, phase, n, outcome) for n in range(phase.get("producers", 1))]
    batch = phase.get("batch_records", 100)
    turns = len(producers) > 1
    source = records_of(phase, rng)
    for turn in itertools.count():
        chunk = list(itertools.islice(source, batch))
        if not chunk:
            break
        producer = producers[turn % len(producers)]
        for record in chunk:
            send(producer, spec, record)
        if turns:
            flush(producer)  # keeps the turns in order
        elif turn % 64 == 0:
            producer.poll(0)
    for producer in producers:
        flush(producer)


def run_transactions(spec, phase, rng, outcome):
    transaction = phase["transaction"]
    producer = create_producer(spec, phase, 0, outcome)
    source = records_of(phase, rng)
    while chunk := list(itertools.islice(source, transaction["records"])):
        producer.begin_transaction()
        for record in chunk:
            send(producer, spec, record)
        flush(producer)
        if transaction.get("leave_open"):
            outcome.open += len(chunk)
        elif rng.random() < transaction.get("abort_share", 0):
            producer.abort_transaction(60)
            outcome.aborted += len(chunk)
        else:
            producer.commit_transaction(60)
        if transaction.get("leave_open"):
            return


def main():
    spec = json.load(sys.stdin)
    outcome = Outcome()
    for number, phase in enumerate(spec["phases"]):
        phase["number"] = number
        rng = random.Random(f"{spec['seed']}/{spec['topic']}/{spec['partition']}/{number}")
        (run_transactions if phase.get("transaction") else run_plain)(spec, phase, rng, outcome)
    print(json.dumps(vars(outcome)), flush=True)
    os._exit(0)  # without closing: an open transaction stays open


if __name__ == "__main__":
    main()
