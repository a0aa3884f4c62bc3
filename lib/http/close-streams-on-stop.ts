import { openStreamClosers } from "#lib/http/stream-closers.ts";

/** Ends the open event streams as soon as this process is told to stop: an open one would keep the server from stopping. */
export function closeStreamsOnStop(): void {
  const closeStreams = (): void => {
    for (const close of [...openStreamClosers()]) close();
  };
  process.once("SIGTERM", closeStreams);
  process.once("SIGINT", closeStreams);
}
