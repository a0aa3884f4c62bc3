"use client";
import Link from "next/link";
import { ConnectionNotice } from "#components/layout/connection-notice.tsx";
import { useLiveView } from "#components/layout/live-provider.tsx";
import { Shell } from "#components/layout/shell.tsx";
import { HistoryPanels } from "#components/topics/history-panels.tsx";
import { LogPanel } from "#components/topics/log-panel.tsx";
import { isOpen, MeasureNow } from "#components/topics/measure-now.tsx";
import { SettingsPanel } from "#components/topics/settings-panel.tsx";
import { TopicNotices } from "#components/topics/topic-notices.tsx";
import { TopicVerdict } from "#components/topics/topic-verdict.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { ClockProvider } from "#components/ui/clock.tsx";
import { Name } from "#components/ui/name.tsx";
import { paths } from "#lib/http/paths.ts";
import type { TopicView } from "#lib/topics/topic-view.ts";

/** While a scan is open its progress is read this often, should the event stream fail. */
const SCAN_POLL_MS = 2_000;

export function TopicPage({ initial }: { initial: TopicView }) {
  const { cluster, topic } = initial;
  const live = useLiveView({
    key: ["topic", cluster.id, topic],
    path: paths.api.topic(cluster.id, topic),
    initial,
    everyMs: (view) => (isOpen(view.latestScan) ? SCAN_POLL_MS : null),
  });
  const { view, error, refresh } = live;
  return (
    <ClockProvider readAt={view.readAt}>
      <Shell clusters={[view.cluster]} error={error} breadcrumb={<Crumbs view={view} />}>
        <ConnectionNotice error={error} readAt={view.readAt} />
        <Head view={view} refresh={refresh} />
        <TopicNotices view={view} />
        <div className={view.cluster.state === "live" && view.goneAt === null ? "" : "stale-figures"}>
          <TopicVerdict view={view} />
          <LogPanel view={view} />
          <div className="mt-3 grid gap-3 desk:grid-cols-[1.1fr_1.1fr_.8fr]">
            <HistoryPanels view={view} />
            <SettingsPanel view={view} />
          </div>
        </div>
      </Shell>
    </ClockProvider>
  );
}

function Crumbs({ view }: { view: TopicView }) {
  return (
    <>
      <Link href={paths.fleet()} prefetch={false} className="shrink-0 hover:text-fg">
        Fleet
      </Link>
      <span aria-hidden="true">/</span>
      <Link
        href={`${paths.fleet()}?cluster=${encodeURIComponent(view.cluster.id)}`}
        prefetch={false}
        className="max-w-[40%] shrink-0 truncate hover:text-fg"
      >
        {view.cluster.id}
      </Link>
      <span aria-hidden="true">/</span>
      <span className="min-w-0 font-medium text-fg" aria-current="page">
        <Name truncate>{view.topic}</Name>
      </span>
    </>
  );
}

function Head({ view, refresh }: { view: TopicView; refresh: () => void }) {
  const replicas = Math.max(0, ...view.partitions.map((partition) => partition.replicas.length));
  const count = view.partitions.length;
  return (
    <div className="flex flex-wrap items-center gap-x-[10px] gap-y-2 pt-1 pb-3">
      <div className="min-w-0 text-[1.1875rem] leading-[26px] font-semibold max-wide:text-verdict">
        <Name copies>{view.topic}</Name>
      </div>
      <Chip>{view.cleanupPolicy === "" ? "policy not known" : view.cleanupPolicy}</Chip>
      <Chip>
        {count} {count === 1 ? "partition" : "partitions"}
        {replicas > 0 ? ` × ${replicas}` : ""}
      </Chip>
      {view.cluster.software === null ? null : <Chip>{view.cluster.software}</Chip>}
      <div className="ml-auto max-wide:ml-0 max-wide:w-full">
        <MeasureNow view={view} onChanged={refresh} />
      </div>
    </div>
  );
}
