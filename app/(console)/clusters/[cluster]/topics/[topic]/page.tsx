import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { TopicPage } from "#components/topics/topic-page.tsx";
import { escapeUnseen } from "#components/ui/name-text.ts";
import { decodeSegment } from "#lib/http/paths.ts";
import { getTopicView } from "#lib/topics/queries.ts";

interface TopicProps {
  params: Promise<{ cluster: string; topic: string }>;
}

export async function generateMetadata({ params }: TopicProps): Promise<Metadata> {
  return { title: escapeUnseen(decodeSegment((await params).topic)) };
}

export default async function Page({ params }: TopicProps) {
  const { cluster, topic } = await params;
  const view = await getTopicView(decodeSegment(cluster), decodeSegment(topic));
  if (view === null) notFound();
  return <TopicPage initial={view} />;
}
