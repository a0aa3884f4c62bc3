// Writes the demo's records: the initial ones as fast as it goes, then a few each second.
import { setTimeout as sleep } from "node:timers/promises";
import { COMPRESSION } from "./codecs.mjs";

const CHUNK = 2500;
const TICK_MS = 1000;
const ACKS_OF_ALL = -1;

/** How many records were ever written to a topic: the sum of its end offsets, which no compaction lowers. */
export async function countWritten(admin, topic) {
  const offsets = await admin.fetchTopicOffsets(topic);
  return offsets.reduce((sum, { high }) => sum + Number(high), 0);
}

/** Writes what is missing of a topic's initial records. Resumes where an earlier run was interrupted. */
export async function writeInitial(producer, topic, written, signal) {
  const makeRecord = topic.initialRecord ?? topic.record;
  for (let n = written; n < topic.initial && !signal.aborted; n += CHUNK) {
    await send(producer, topic, n, Math.min(CHUNK, topic.initial - n), makeRecord);
  }
}

/** Writes `perSecond` records each second until the signal. Fractions of a tick that comes late are made up for. */
export async function keepWriting(producer, topic, written, signal) {
  let next = written;
  const began = Date.now();
  while (!signal.aborted) {
    await sleep(TICK_MS, undefined, { signal }).catch(() => {});
    const due = written + Math.floor(((Date.now() - began) / 1000) * topic.perSecond);
    const count = Math.min(due - next, topic.perSecond * 10);
    if (count > 0 && !signal.aborted) await send(producer, topic, next, count, topic.record);
    // What fell due while the broker was away is not written in one heap.
    next = due;
  }
}

function send(producer, topic, from, count, makeRecord) {
  const messages = Array.from({ length: count }, (_, index) => makeRecord(from + index));
  return producer.send({
    topic: topic.name,
    messages,
    acks: ACKS_OF_ALL,
    compression: COMPRESSION[topic.compression ?? "none"],
  });
}
