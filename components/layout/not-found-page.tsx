import Link from "next/link";
import { Shell } from "#components/layout/shell.tsx";
import { StateGlyph } from "#components/ui/state-glyph.tsx";
import { paths } from "#lib/http/paths.ts";

export function NotFoundPage() {
  return (
    <Shell clusters={null}>
      <div className="mt-6 max-w-[640px] rounded-panel border border-line bg-surface px-[18px] py-4">
        <h1 className="flex items-start gap-2 text-verdict font-semibold">
          <span className="pt-[2px]">
            <StateGlyph state="unknown" />
          </span>
          Nothing was ever seen at this address
        </h1>
        <p className="mt-[5px] text-fg-2">
          No topic of this name was seen on this cluster, or the address is mistyped. A new topic appears with the next
          poll of its cluster.
        </p>
        <p className="mt-3">
          <Link href={paths.fleet()} prefetch={false} className="link">
            Look it up in the fleet
          </Link>
        </p>
      </div>
    </Shell>
  );
}
