import { CopyButton } from "#components/ui/copy-button.tsx";

/** A command to copy; it wraps. */
export function Command({ children }: { children: string }) {
  return (
    <div className="flex min-w-0 items-center gap-2 rounded-control border border-line bg-sunken py-[5px] pr-[6px] pl-[10px] max-wide:flex-col max-wide:items-stretch">
      <code className="min-w-0 flex-1 text-[0.71875rem] leading-[17px] break-words whitespace-pre-wrap">
        {children}
      </code>
      <CopyButton text={children} label="Copy" showLabel />
    </div>
  );
}
