import Link from "next/link";
import type { ReactNode } from "react";
import { Freshness } from "#components/layout/freshness.tsx";
import type { ClusterView } from "#lib/clusters/cluster-view.ts";
import { paths } from "#lib/http/paths.ts";

interface ShellProps {
  /** The place of the top bar that this page is. */
  current?: "fleet";
  /** Clusters that the page shows; null where they are not known. */
  clusters: readonly ClusterView[] | null;
  /** Why the page could not be read again. */
  error?: string | null;
  breadcrumb?: ReactNode;
  children: ReactNode;
}

/** Top bar, breadcrumb and the room for the page. */
export function Shell({ current, clusters, error = null, breadcrumb, children }: ShellProps) {
  return (
    <>
      <a
        href="#main"
        className="absolute left-2 -top-20 z-20 rounded-control border border-line-2 bg-surface px-3 py-2 focus:top-2"
      >
        Skip to the content
      </a>
      <header className="border-b border-line bg-surface">
        <div className="mx-auto flex h-12 max-w-[1680px] items-center gap-[2px] px-6 max-wide:px-4">
          <Link
            href={paths.fleet()}
            prefetch={false}
            className="mr-[18px] flex items-center gap-[9px] text-[0.875rem] font-[650] tracking-[-.01em]"
          >
            <BrandMark />
            Keyfold
          </Link>
          <nav aria-label="Main" className="flex">
            <Link
              href={paths.fleet()}
              prefetch={false}
              aria-current={current === "fleet" ? "page" : undefined}
              className="relative inline-flex h-12 items-center px-[11px] text-fg-2 aria-[current]:font-[550] aria-[current]:text-fg aria-[current]:after:absolute aria-[current]:after:inset-x-[11px] aria-[current]:after:-bottom-px aria-[current]:after:h-[2px] aria-[current]:after:bg-fg"
            >
              Fleet
            </Link>
          </nav>
          <span className="flex-1" />
          {clusters === null ? null : <Freshness clusters={clusters} error={error} />}
        </div>
      </header>
      {breadcrumb === undefined ? null : (
        <nav
          aria-label="Breadcrumb"
          className="mx-auto flex h-10 max-w-[1680px] items-center gap-[7px] overflow-hidden px-6 text-second text-fg-3 max-wide:px-4"
        >
          {breadcrumb}
        </nav>
      )}
      <main id="main" tabIndex={-1} className="mx-auto max-w-[1680px] px-6 pb-7 outline-none max-wide:px-4">
        {children}
      </main>
    </>
  );
}

function BrandMark() {
  return (
    <svg viewBox="0 0 20 20" className="keep-colors size-5" aria-hidden="true">
      <path d="M2 3h9v4H2z" fill="var(--fg-3)" opacity=".55" />
      <path d="M2 8h13v4H2z" fill="var(--fg-3)" opacity=".8" />
      <path d="M2 13h16v4H2z" fill="var(--fg)" />
      <path d="M11 3l4 5H11zM15 8l3 5h-3z" fill="var(--clean)" />
    </svg>
  );
}
