"use client";
import { Banner } from "#components/ui/banner.tsx";
import { formatInstant } from "#lib/platform/format-figure.ts";

/** Said once, politely, when a page can no longer be read again; what it shows stays. */
export function ConnectionNotice({ error, readAt }: { error: string | null; readAt: number }) {
  return (
    <div role="status" className={error === null ? "" : "pt-3"}>
      {error === null ? null : (
        <Banner state="broken" title={`Shown as of ${formatInstant(readAt)} UTC: it can't be read again`}>
          {error}
        </Banner>
      )}
    </div>
  );
}
