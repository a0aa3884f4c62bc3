// @ts-check
/** Asks a broker which brokers it sees: one Metadata request, written by hand so that nothing needs to be installed. */
import net from "node:net";

const METADATA = 3;
// Version 1 is served by every broker from 0.10 to 4.4: https://kafka.apache.org/protocol#The_Messages_Metadata
const METADATA_VERSION = 1;

function encodeRequest() {
  const clientId = Buffer.from("keyfold-start");
  const body = Buffer.alloc(2 + 2 + 4 + 2 + clientId.length + 4);
  let at = body.writeInt16BE(METADATA, 0);
  at = body.writeInt16BE(METADATA_VERSION, at);
  at = body.writeInt32BE(1, at); // correlation id
  at = body.writeInt16BE(clientId.length, at);
  at += clientId.copy(body, at);
  body.writeInt32BE(0, at); // no topics
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

/** @param {Buffer} answer after its length @returns {number[]} */
function decodeBrokerIds(answer) {
  const count = answer.readInt32BE(4);
  const ids = [];
  let at = 8;
  for (let i = 0; i < count; i++) {
    ids.push(answer.readInt32BE(at));
    at += 4;
    at += 2 + answer.readInt16BE(at) + 4;
    const rack = answer.readInt16BE(at);
    at += 2 + Math.max(rack, 0);
  }
  return ids;
}

/**
 * @param {number} port of a PLAINTEXT listener
 * @param {{host?: string, timeoutMs?: number}} [options]
 * @returns {Promise<number[]>} ids of the brokers that are up, as this broker sees them; rejects where it does not answer
 */
export function fetchBrokerIds(port, { host = "127.0.0.1", timeoutMs = 2000 } = {}) {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host, port });
    let received = Buffer.alloc(0);
    const end = (/** @type {() => void} */ settle) => {
      socket.destroy();
      settle();
    };
    socket.setTimeout(timeoutMs, () => end(() => reject(new Error(`no answer from port ${port}`))));
    socket.on("connect", () => socket.write(encodeRequest()));
    socket.on("error", (error) => end(() => reject(error)));
    socket.on("close", () => reject(new Error(`port ${port} closed the connection`)));
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 4 || received.length < 4 + received.readInt32BE(0)) return;
      end(() => resolve(decodeBrokerIds(received.subarray(4))));
    });
  });
}
