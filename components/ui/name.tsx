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
  const { head, tail } = truncate ? splitForMiddle(visible) : { head: "", tail: "" };
  const font = "font-mono [letter-spacing:-.01em] [font-variant-ligatures:none]";
  const text =
    tail === "" ? (
      <bdi className={`${font} ${truncate ? "block truncate" : ""}`}>{visible}</bdi>
    ) : (
      // Two boxes would be read as two words: what is read is the whole name.
      <bdi className={`${font} relative flex min-w-0`}>
        <span className="sr-only select-none">{visible}</span>
        <span aria-hidden="true" className="truncate">
          {head}
        </span>
        <span aria-hidden="true" className="whitespace-pre">
          {tail}
        </span>
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
