"use client";
import { useMutation } from "@tanstack/react-query";
import { callApi } from "#components/layout/fetch-view.ts";
import { ActionButton } from "#components/ui/action-button.tsx";
import { Ago } from "#components/ui/ago.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { paths } from "#lib/http/paths.ts";
import { formatBytes, formatCompact, formatDuration, formatShare } from "#lib/platform/format-figure.ts";
import { OPEN_SCAN_STATES } from "#lib/scans/scan-states.ts";
import type { ScanView } from "#lib/scans/scan-view.ts";
import type { TopicView } from "#lib/topics/topic-view.ts";

export const isOpen = (scan: ScanView | null): boolean => scan !== null && OPEN_SCAN_STATES.includes(scan.state);

interface MeasureNowProps {
  view: TopicView;
  onChanged: () => void;
}

/** Orders a scan, shows how far it is, and cancels it. */
export function MeasureNow({ view, onChanged }: MeasureNowProps) {
  const { topic, cluster, latestScan } = view;
  const order = useMutation({
    mutationFn: () => callApi<ScanView>(paths.api.scans(cluster.id, topic), "POST"),
    onSettled: onChanged,
  });
  const cancel = useMutation({
    mutationFn: (scanId: string) => callApi<ScanView>(paths.api.scanCancellation(cluster.id, topic, scanId), "POST"),
    onSettled: onChanged,
  });
  const failure = order.error ?? cancel.error;
  const open = isOpen(latestScan);
  return (
    <div className="grid justify-items-end gap-2 max-wide:justify-items-stretch">
      {open && latestScan !== null ? (
        <ScanProgress
          scan={latestScan}
          onCancel={() => cancel.mutate(latestScan.id)}
          cancelling={cancel.isPending || latestScan.state === "cancelling"}
        />
      ) : (
        <div className="flex flex-wrap items-center justify-end gap-x-3 gap-y-1 max-wide:justify-start">
          <LastScan scan={latestScan} />
          <ActionButton id="measure-now" onAct={() => order.mutate()} offReason={reasonOff(view, order.isPending)}>
            Measure now
          </ActionButton>
        </div>
      )}
      <div role="status" className="w-full max-w-[520px] empty:hidden">
        {failure === null ? null : <Banner state="broken" title={failure.message} />}
      </div>
    </div>
  );
}

function reasonOff(view: TopicView, ordering: boolean): string | null {
  if (view.goneAt !== null) return "off: the topic is gone";
  if (view.cluster.state === "never") return "off: the cluster was never reached";
  return ordering ? "being ordered" : null;
}

function LastScan({ scan }: { scan: ScanView | null }) {
  if (scan === null || scan.endedAt === null) return null;
  if (scan.state === "failed") {
    return (
      <span className="max-w-[60ch] text-second text-broken">
        The last scan failed <Ago at={scan.endedAt} />: {scan.error ?? "its reason was not recorded."}
      </span>
    );
  }
  return (
    <span className="text-second text-fg-3">
      {scan.state === "cancelled" ? "last scan cancelled" : "scanned"} <Ago at={scan.endedAt} />
    </span>
  );
}

interface ScanProgressProps {
  scan: ScanView;
  cancelling: boolean;
  onCancel: () => void;
}

function ScanProgress({ scan, cancelling, onCancel }: ScanProgressProps) {
  return (
    <div className="flex w-[min(520px,100%)] items-center gap-3 max-wide:w-full">
      <div className="min-w-0 flex-1">
        <div
          role="progressbar"
          aria-label="Scan"
          aria-valuenow={Math.floor(scan.progress * 100)}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuetext={`${formatShare(scan.progress)}, ${describeProgress(scan)}`}
          className="h-2 overflow-hidden rounded-[2px] border border-line bg-sunken"
        >
          <div
            className={`keep-colors h-full bg-run transition-[width] duration-100 motion-reduce:transition-none ${scan.state === "running" ? "" : "pulse"}`}
            style={{ width: `${scan.progress * 100}%` }}
          />
        </div>
        <p className="mt-1 text-second text-fg-2">{describeProgress(scan)}</p>
      </div>
      <ActionButton id="cancel-scan" onAct={onCancel} offReason={cancelling ? "stopping" : null}>
        Cancel
      </ActionButton>
    </div>
  );
}

function describeProgress(scan: ScanView): string {
  if (scan.state === "queued") return "Waiting for its turn: one partition of a broker is read at a time.";
  if (scan.state === "cancelling") return "Being cancelled after the current fetch.";
  const left =
    scan.remainingMs === null
      ? "time left not known yet"
      : `about ${formatDuration(Math.ceil(scan.remainingMs / 1000) * 1000)} left`;
  return `${formatShare(scan.progress)}: ${formatCompact(scan.recordsScanned)} records, ${formatBytes(scan.bytesRead)} read, ${scan.partitionsDone} of ${scan.partitionCount} partitions done, ${left}`;
}
