/** Next calls this once when the server starts. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { openStreamClosers } = await import("#lib/http/stream-closers.ts");
  const closeStreams = (): void => {
    for (const close of [...openStreamClosers()]) close();
  };
  process.once("SIGTERM", closeStreams);
  process.once("SIGINT", closeStreams);
}
