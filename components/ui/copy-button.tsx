"use client";
import { Check, Copy } from "lucide-react";
import { useState } from "react";

interface CopyButtonProps {
  text: string;
  /** What the button does, in words; shown where `showLabel` is set, else read out. */
  label: string;
  showLabel?: boolean;
}

const SAID_FOR_MS = 2000;

export function CopyButton({ text, label, showLabel = false }: CopyButtonProps) {
  const [said, setSaid] = useState<string | null>(null);
  const copy = async (): Promise<void> => {
    const copied = await writeToClipboard(text);
    setSaid(copied ? "Copied" : "Copying was refused: select the text instead");
    setTimeout(() => setSaid(null), SAID_FOR_MS);
  };
  const Icon = said === "Copied" ? Check : Copy;
  return (
    <>
      <button
        type="button"
        onClick={copy}
        aria-label={showLabel ? undefined : label}
        title={said ?? label}
        className={`inline-flex min-h-6 min-w-6 shrink-0 items-center justify-center gap-[6px] rounded-[5px] text-second text-fg-2 hover:text-fg ${showLabel ? "border border-line-2 bg-surface px-2" : ""}`}
      >
        <Icon size={14} strokeWidth={1.6} aria-hidden="true" />
        {showLabel ? label : null}
      </button>
      <span role="status" className="sr-only">
        {said}
      </span>
    </>
  );
}

async function writeToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
