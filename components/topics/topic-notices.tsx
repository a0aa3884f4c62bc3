"use client";
import { Ago } from "#components/ui/ago.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { formatInstant } from "#lib/platform/format-figure.ts";
import type { TopicView } from "#lib/topics/topic-view.ts";

/** What qualifies everything below: the topic is gone, or its cluster does not answer. */
export function TopicNotices({ view }: { view: TopicView }) {
  const { cluster, goneAt } = view;
  const notices = [];
  if (goneAt !== null) {
    notices.push(
      <Banner key="gone" state="unknown" title={`This topic is gone from ${cluster.id}`}>
        Since <time dateTime={new Date(goneAt).toISOString()}>{formatInstant(goneAt)} UTC</time> the cluster no longer
        lists it. Everything below is as it was measured last.
      </Banner>,
    );
  }
  if (cluster.state === "never") {
    notices.push(
      <Banner key="never" state="broken" title={`${cluster.id} has not been reached yet`}>
        {cluster.error ?? "The first poll has not ended."}
      </Banner>,
    );
  } else if (cluster.state === "stale" && cluster.lastPolledAt !== null) {
    notices.push(
      <Banner
        key="stale"
        state="watch"
        title={
          <>
            Last reading of {cluster.id} <Ago at={cluster.lastPolledAt} />
          </>
        }
      >
        {cluster.error ?? "Polls are overdue."} Numbers are as of then; it is tried again by itself.
      </Banner>,
    );
  }
  return notices.length === 0 ? null : <div className="mb-3 grid gap-2">{notices}</div>;
}
