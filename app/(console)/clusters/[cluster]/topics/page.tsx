import type { Metadata } from "next";
import { notFound, redirect } from "next/navigation";
import { TopicPage } from "#components/topics/topic-page.tsx";
import { escapeUnseen } from "#components/ui/name-text.ts";
import { decodeSegment, paths } from "#lib/http/paths.ts";
import { getTopicView } from "#lib/topics/queries.ts";

interface TopicsProps {
  params: Promise<{ cluster: string }>;
  searchParams: Promise<{ name?: string | string[] }>;
}

const readName = ({ name }: { name?: string | string[] }): string | null => (typeof name === "string" ? name : null);

export async function generateMetadata({ searchParams }: TopicsProps): Promise<Metadata> {
  return { title: escapeUnseen(readName(await searchParams) ?? "Fleet") };
}

/** A topic by `?name=`, for names that can't be a segment of a path; without one the cluster's part of the fleet. */
export default async function Page({ params, searchParams }: TopicsProps) {
  const clusterId = decodeSegment((await params).cluster);
  const name = readName(await searchParams);
  if (name === null) redirect(`${paths.fleet()}?cluster=${encodeURIComponent(clusterId)}`);
  const view = await getTopicView(clusterId, name);
  if (view === null) notFound();
  return <TopicPage initial={view} />;
}
