import type { Metadata } from "next";
import { firstRows } from "#components/fleet/first-rows.ts";
import { FleetPage } from "#components/fleet/fleet-page.tsx";
import { getFleetView } from "#lib/topics/queries.ts";

export const metadata: Metadata = { title: "Fleet" };

export default async function Page() {
  return <FleetPage {...firstRows(await getFleetView())} />;
}
