import { NuqsAdapter } from "nuqs/adapters/next/app";
import type { ReactNode } from "react";
import { LiveProvider } from "#components/layout/live-provider.tsx";
import { LogStripPatterns } from "#components/topics/log-strip-patterns.tsx";

export default function ConsoleLayout({ children }: { children: ReactNode }) {
  return (
    <NuqsAdapter>
      <LogStripPatterns />
      <LiveProvider>{children}</LiveProvider>
    </NuqsAdapter>
  );
}
