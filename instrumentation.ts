/** Next calls this once when the server starts. */
export async function register(): Promise<void> {
  // Next also builds this file for runtimes that are not Node's: there it drops what stands within this condition, and
  // nothing that follows an early return.
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { closeStreamsOnStop } = await import("#lib/http/close-streams-on-stop.ts");
    closeStreamsOnStop();
  }
}
