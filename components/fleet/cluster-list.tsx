import { Ago } from "#components/ui/ago.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { StateGlyph } from "#components/ui/state-glyph.tsx";
import type { ClusterView } from "#lib/clusters/cluster-view.ts";
import { formatCount } from "#lib/platform/format-count.ts";

interface ClusterListProps {
  clusters: readonly ClusterView[];
  chosen: string | null;
  onChoose: (clusterId: string | null) => void;
}

/** Every configured cluster with the age of what is known about it; its name filters the table. */
export function ClusterList({ clusters, chosen, onChoose }: ClusterListProps) {
  return (
    <Panel id="clusters" title="Clusters">
      <table className="grid-table mt-1 [&_td]:border-0 [&_td]:py-[2px] [&_th]:border-0 [&_th]:py-[3px]">
        <thead>
          <tr>
            <th scope="col">Cluster</th>
            <th scope="col" className="max-wide:hidden">
              System
            </th>
            <th scope="col" className="num w-[96px]">
              Compacted
            </th>
            <th scope="col" className="num w-[92px]">
              Collected
            </th>
          </tr>
        </thead>
        <tbody>
          {clusters.map((cluster) => (
            <ClusterRow key={cluster.id} cluster={cluster} chosen={chosen === cluster.id} onChoose={onChoose} />
          ))}
        </tbody>
      </table>
      <ul className="px-[14px] pt-1 pb-[11px] text-second">
        {clusters
          .filter((cluster) => cluster.error !== null)
          .map((cluster) => (
            <li key={cluster.id} className="flex gap-[7px] py-[2px]">
              <span>
                <StateGlyph state={cluster.state === "never" ? "broken" : "watch"} />
              </span>
              <span className={cluster.state === "never" ? "text-broken" : "text-watch"}>
                {cluster.id}: {cluster.error}
              </span>
            </li>
          ))}
      </ul>
    </Panel>
  );
}

interface ClusterRowProps {
  cluster: ClusterView;
  chosen: boolean;
  onChoose: (clusterId: string | null) => void;
}

function ClusterRow({ cluster, chosen, onChoose }: ClusterRowProps) {
  return (
    <tr data-selected={chosen || undefined}>
      <td>
        <button
          type="button"
          aria-pressed={chosen}
          title={chosen ? "Show all clusters" : "Show only this cluster"}
          onClick={() => onChoose(chosen ? null : cluster.id)}
          className="link block max-w-full truncate py-[2px] font-mono text-second max-wide:py-[10px]"
        >
          {cluster.id}
        </button>
      </td>
      <td className="truncate text-second text-fg-3 max-wide:hidden">
        {cluster.software?.replace("Apache ", "") ?? "not known"}
      </td>
      <td className="num">
        {formatCount(cluster.compactedTopicCount)}{" "}
        <span className="text-note text-fg-3">of {formatCount(cluster.topicCount)}</span>
      </td>
      <td className="num text-second text-fg-2">
        {cluster.lastPolledAt === null ? (
          <span className="text-broken">never</span>
        ) : (
          <Ago at={cluster.lastPolledAt} staleAfterMs={3 * cluster.pollIntervalMs} />
        )}
      </td>
    </tr>
  );
}
