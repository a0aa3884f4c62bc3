import { CopyButton } from "#components/ui/copy-button.tsx";
import { escapeUnseen, splitForMiddle } from "#components/ui/name-text.ts";

interface NameProps {
  children: string;
  /** Cut off in the middle where there is no room; else it wraps. */
  truncate?: boolean;
  copies?: boolean;
}

/**
 * A name of something in another system. It is set apart from its surroundings (`bdi`), what can't be seen is written
 * out, and a long one is cut in the middle, because siblings differ at their ends.
 */
export function Name({ children, truncate = false, copies = false }: NameProps) {
  const visible = escapeUnseen(children);
  const { head, tail } = truncate ? splitForMiddle(visible) : { head: visible, tail: "" };
  const text = (
    <bdi
      className={`font-mono [letter-spacing:-.01em] [font-variant-ligatures:none] ${truncate ? "flex min-w-0" : ""}`}
    >
      <span className={truncate ? "truncate" : ""}>{head}</span>
      {tail === "" ? null : <span className="whitespace-pre">{tail}</span>}
    </bdi>
  );
  if (!copies) return text;
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1">
      {text}
      <CopyButton text={children} label="Copy the name" />
    </span>
  );
}
