/** Starts a broker, says its process id and its folder, and waits to be killed. For the test that nothing is left then. */
import { startKafka } from "./kafka-cluster.ts";

const cluster = await startKafka({ version: "4.4" });
console.log(JSON.stringify({ pid: cluster.brokers[0]?.pid, dataDir: cluster.dataDirs[0] }));
setInterval(() => {}, 60_000);
