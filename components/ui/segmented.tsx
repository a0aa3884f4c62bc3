"use client";
import { ToggleGroup } from "radix-ui";

interface SegmentedProps<T extends string> {
  /** What is chosen, for screen readers. */
  label: string;
  value: T;
  options: readonly { value: T; text: string }[];
  onChange: (value: T) => void;
}

/** One of a few, always one. */
export function Segmented<T extends string>({ label, value, options, onChange }: SegmentedProps<T>) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value}
      onValueChange={(next) => {
        if (next !== "") onChange(next as T);
      }}
      className="inline-flex overflow-hidden rounded-control border border-line bg-surface"
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.value}
          value={option.value}
          className="px-[9px] text-second leading-[22px] text-fg-3 not-first:border-l not-first:border-line focus-visible:-outline-offset-2 data-[state=on]:bg-sunken data-[state=on]:font-[550] data-[state=on]:text-fg max-wide:leading-[34px]"
        >
          {option.text}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
