/**
 * The open event streams of this process. An open one keeps the server from stopping, so `instrumentation.ts` closes them
 * at SIGTERM. On globalThis, because Next evaluates a module once per bundle.
 */
const holder = globalThis as { keyfoldStreamClosers?: Set<() => void> };

export function openStreamClosers(): Set<() => void> {
  holder.keyfoldStreamClosers ??= new Set();
  return holder.keyfoldStreamClosers;
}
