"use client";
import { useEffect, useState } from "react";

interface ListKeyActions {
  onMove: (index: number) => void;
  onOpen: (index: number) => void;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/**
 * `j` and `k` move through a list, Enter opens; off while typing. No key changes anything outside Keyfold.
 *
 * @param listKey another list of rows is shown under another key
 */
export function useListKeys(count: number, listKey: string, { onMove, onOpen }: ListKeyActions): number | null {
  const [chosen, setChosen] = useState<{ listKey: string; index: number } | null>(null);
  // A place in one list means nothing in another.
  const selected = chosen !== null && chosen.listKey === listKey && chosen.index < count ? chosen.index : null;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || count === 0) return;
      const step = event.key === "j" ? 1 : event.key === "k" ? -1 : 0;
      if (step !== 0) {
        const next = Math.min(count - 1, Math.max(0, selected === null ? 0 : selected + step));
        setChosen({ listKey, index: next });
        onMove(next);
      }
      // Enter on a link or a button is that link's or button's own.
      const own = event.target instanceof HTMLElement && event.target.closest("a, button, summary") !== null;
      if (event.key === "Enter" && selected !== null && !own) onOpen(selected);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  });
  return selected;
}
