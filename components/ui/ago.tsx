"use client";
import { useAtNow } from "#components/ui/clock.tsx";
import { formatAge } from "#lib/platform/format-figure.ts";

interface AgoProps {
  /** Milliseconds since the epoch. */
  at: number;
  /** Older than this is amber. */
  staleAfterMs?: number;
  /** Without "ago", for columns. */
  bare?: boolean;
}

/** An age, with the instant in its title. */
export function Ago({ at, staleAfterMs, bare = false }: AgoProps) {
  const age = useAtNow((now) => formatAge(now - at));
  const stale = useAtNow((now) => staleAfterMs !== undefined && now - at > staleAfterMs);
  const iso = new Date(at).toISOString();
  return (
    <time dateTime={iso} title={iso} className={stale ? "text-watch whitespace-nowrap" : "whitespace-nowrap"}>
      {bare ? age : `${age} ago`}
    </time>
  );
}
