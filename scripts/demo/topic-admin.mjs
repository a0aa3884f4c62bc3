// Makes the demo's topics, and brings them to what their definition asks for later. Everything may be done again.
import { Admin } from "@platformatic/kafka";

/** DescribeConfigs and IncrementalAlterConfigs: https://kafka.apache.org/protocol (resource type 2 is a topic, operation 0 sets). */
const TOPIC_RESOURCE = 2;
const SET = 0;

export function openAdmin(address) {
  const admin = new Admin({ clientId: "demo-setup", bootstrapBrokers: [address] });

  /** @param {import("./topics.mjs").DemoTopic} topic */
  async function createTopic({ name, partitions, config }) {
    const existing = await admin.listTopics();
    if (existing.includes(name)) return;
    const configs = Object.entries(config).map(([key, value]) => ({ name: key, value }));
    await admin.createTopics({ topics: [name], partitions, replicas: 1, configs });
  }

  async function setConfig(topic, config) {
    const configs = Object.entries(config).map(([name, value]) => ({ name, value, configOperation: SET }));
    await admin.incrementalAlterConfigs({
      resources: [{ resourceType: TOPIC_RESOURCE, resourceName: topic, configs }],
      validateOnly: false,
    });
  }

  async function raisePartitions(topic, count) {
    const { topics } = await admin.metadata({ topics: [topic], forceUpdate: true });
    if (topics.get(topic).partitionsCount >= count) return;
    await admin.createPartitions({ topics: [{ name: topic, count }] });
  }

  async function commitOffsets(groupId, topic, partitionOffsets) {
    const committed = await admin.listConsumerGroupOffsets({ groups: [groupId] }).catch(() => []);
    if (committed.some((group) => group.topics.length > 0)) return;
    await admin.alterConsumerGroupOffsets({ groupId, topics: [{ name: topic, partitionOffsets }] });
  }

  return { createTopic, setConfig, raisePartitions, commitOffsets, close: () => admin.close() };
}
