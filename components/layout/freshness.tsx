"use client";
import { Ago } from "#components/ui/ago.tsx";
import type { ClusterView } from "#lib/clusters/cluster-view.ts";
import { paths } from "#lib/http/paths.ts";

interface FreshnessProps {
  clusters: readonly ClusterView[];
  error: string | null;
}

/** The age of the data, always in the same place; leads to what each cluster's collector did last. */
export function Freshness({ clusters, error }: FreshnessProps) {
  return (
    <a
      href={`${paths.fleet()}#clusters`}
      className="flex min-h-11 items-center gap-[6px] text-second text-fg-2 hover:text-fg"
    >
      <State clusters={clusters} error={error} />
    </a>
  );
}

function State({ clusters, error }: FreshnessProps) {
  if (error !== null) return <Dot ink="text-broken">Not connected</Dot>;
  if (clusters.length === 0) return <Dot ink="text-unknown">No cluster</Dot>;
  const late = clusters.filter((cluster) => cluster.state !== "live");
  // The oldest of the live ones: nothing shown from them is older.
  const ages = clusters.filter((cluster) => cluster.state === "live").map((cluster) => cluster.lastPolledAt ?? 0);
  const oldest = Math.min(...ages);
  if (late.length === 0) {
    return (
      <Dot ink="text-ok">
        Live, <span className="max-wide:sr-only">collected</span> <Ago at={oldest} />
      </Dot>
    );
  }
  const [first] = late;
  if (late.length === 1 && first !== undefined && clusters.length === 1) {
    return (
      <Dot ink="text-watch">
        {first.lastPolledAt === null ? (
          "Never collected"
        ) : (
          <>
            <Ago at={first.lastPolledAt} bare /> old
          </>
        )}
      </Dot>
    );
  }
  return (
    <Dot ink="text-watch">
      {late.length} of {clusters.length} clusters late
    </Dot>
  );
}

function Dot({ ink, children }: { ink: string; children: React.ReactNode }) {
  return (
    <>
      <span className={`keep-colors size-[7px] shrink-0 rounded-full bg-current ${ink}`} aria-hidden="true" />
      <span className={ink === "text-ok" || ink === "text-unknown" ? "" : ink}>{children}</span>
    </>
  );
}
