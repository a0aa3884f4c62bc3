// The demo's writer process: makes the topics, fills them once, then keeps them and the consumer groups moving until SIGTERM.
import kafkajs from "kafkajs";
import { registerCodecs } from "./codecs.mjs";
import { joinClassicGroup, joinConsumerGroup, leaveGroupBehind } from "./consumer-groups.mjs";
import { keepTransactionOpen } from "./open-transaction.mjs";
import { openAdmin } from "./topic-admin.mjs";
import { DEMO_TOPICS, TRANSACTION_TOPIC } from "./topics.mjs";
import { countWritten, keepWriting, writeInitial } from "./traffic.mjs";

const address = process.env.KEYFOLD_DEMO_BROKER;
if (!address) throw new Error("KEYFOLD_DEMO_BROKER is not set: npm start sets it");

const began = Date.now();
const tell = (text) =>
  process.stdout.write(`${new Date().toISOString()} ${text} (${((Date.now() - began) / 1000).toFixed(1)} s)\n`);

const stopping = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => stopping.abort());

registerCodecs();
const kafka = new kafkajs.Kafka({ clientId: "demo-writer", brokers: [address], logLevel: kafkajs.logLevel.ERROR });
const producer = kafka.producer({ allowAutoTopicCreation: false, metadataMaxAge: 20_000 });
const counter = kafka.admin();
const admin = openAdmin(address);

const written = await fillTopics();
const leaving = [];
// Whatever fails from here on ends the process with its message; the launcher starts it again.
await Promise.race([keepEverythingMoving(), untilStopped()]);
// A group member that does not get away in time is dropped by the broker after its session timeout.
await Promise.race([
  Promise.allSettled(leaving.map((leave) => leave())),
  new Promise((resolve) => setTimeout(resolve, 2000)),
]);
tell("stopped");
process.exit(0);

async function fillTopics() {
  await Promise.all([producer.connect(), counter.connect()]);
  for (const topic of DEMO_TOPICS) await admin.createTopic(topic);
  tell("topics are there");
  const counts = new Map();
  for (const topic of DEMO_TOPICS) {
    const before = await countWritten(counter, topic.name);
    await writeInitial(producer, topic, before, stopping.signal);
    if (stopping.signal.aborted) break;
    if (topic.configAfterInitial) await admin.setConfig(topic.name, topic.configAfterInitial);
    if (topic.partitionsAfterInitial) await admin.raisePartitions(topic.name, topic.partitionsAfterInitial);
    counts.set(topic.name, Math.max(before, topic.initial));
    if (before < topic.initial) tell(`${topic.name}: ${topic.initial} records`);
  }
  return counts;
}

function keepEverythingMoving() {
  if (stopping.signal.aborted) return;
  return Promise.all([
    keepGroupsMoving(),
    keepTransactionOpen(kafka, TRANSACTION_TOPIC, stopping.signal),
    ...DEMO_TOPICS.map((topic) => keepWriting(producer, topic, written.get(topic.name), stopping.signal)),
  ]);
}

async function keepGroupsMoving() {
  await leaveGroupBehind(admin);
  leaving.push(await joinClassicGroup(kafka));
  const member = await joinConsumerGroup(address);
  leaving.push(member.leave);
  tell("groups have joined");
  await member.failed;
}

function untilStopped() {
  return new Promise((resolve) => {
    if (stopping.signal.aborted) resolve();
    else stopping.signal.addEventListener("abort", resolve, { once: true });
  });
}
