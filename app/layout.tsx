import type { Metadata, Viewport } from "next";
import { connection } from "next/server";
import type { ReactNode } from "react";
import "./globals.css";

export const metadata: Metadata = {
  title: { default: "Keyfold", template: "%s · Keyfold" },
  description: "Health of compacted topics",
  robots: { index: false, follow: false },
};

export const viewport: Viewport = {
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#ffffff" },
    { media: "(prefers-color-scheme: dark)", color: "#121519" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  // Every page is rendered for its request: the scripts carry the nonce of that answer's content security policy.
  await connection();
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
