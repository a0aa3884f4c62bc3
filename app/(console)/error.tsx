"use client";
import { useEffect, useState } from "react";
import { Shell } from "#components/layout/shell.tsx";
import { ActionButton } from "#components/ui/action-button.tsx";
import { StateGlyph } from "#components/ui/state-glyph.tsx";

interface ErrorProps {
  error: Error & { digest?: string };
}

const RETRY_MS = 10_000;
const reload = (): void => window.location.reload();

/** Pages read the store and nothing else, so that most of what fails here is the database; `/api/ready` knows what. */
export default function ErrorPage({ error }: ErrorProps) {
  const reasons = useReasons();
  useEffect(() => {
    if (reasons?.length === 0) return;
    const timer = setTimeout(reload, RETRY_MS);
    return () => clearTimeout(timer);
  }, [reasons]);
  return (
    <Shell clusters={null}>
      <div className="mt-6 max-w-[680px] rounded-panel border border-l-[3px] border-line border-l-broken bg-surface px-[18px] py-4">
        <h1 className="flex items-start gap-2 text-verdict font-semibold">
          <span className="pt-[2px]">
            <StateGlyph state="broken" />
          </span>
          This page could not be read from the database
        </h1>
        <div className="mt-[5px] text-fg-2" role="status">
          <Reasons reasons={reasons} />
        </div>
        {error.digest === undefined ? null : (
          <p className="mt-2 text-second text-fg-3">
            Mark in the log of the web process: <code>{error.digest}</code>
          </p>
        )}
        <div className="mt-3">
          <ActionButton id="reload" onAct={reload}>
            Try now
          </ActionButton>
        </div>
      </div>
    </Shell>
  );
}

function Reasons({ reasons }: { reasons: string[] | null }) {
  if (reasons === null) return <p>Asking what is wrong…</p>;
  if (reasons.length === 0) {
    return <p>The database answers and its schema is right, so this is a fault of Keyfold: look into its log.</p>;
  }
  return (
    <>
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      <p>Check that Postgres runs and that DATABASE_URL points to it. This page tries again every 10 s.</p>
    </>
  );
}

const UNREACHED = "Postgres can't be reached with DATABASE_URL.";

/** That a worker is missing keeps no page from being read. */
const isAboutDatabase = (reason: string): boolean => /postgres|database|schema/i.test(reason);

/** What the server says is missing; null while it has not answered. */
function useReasons(): string[] | null {
  const [reasons, setReasons] = useState<string[] | null>(null);
  useEffect(() => {
    fetch("/api/ready", { cache: "no-store" })
      .then((answer) => answer.json())
      .then(({ reasons: said }: { reasons?: string[] }) => setReasons(said?.filter(isAboutDatabase) ?? [UNREACHED]))
      .catch(() => setReasons(["Keyfold does not answer."]));
  }, []);
  return reasons;
}
