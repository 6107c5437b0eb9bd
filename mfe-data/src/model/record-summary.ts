import type { RecordOf, Source } from '@iodine/contracts'

/** What a file or a plan states of a record of any source. */
export interface RecordSummary {
  platform: string
  url?: string | null | undefined
  author?: string | null | undefined
  text?: string | null | undefined
  /** ISO 8601. */
  posted_at?: string | null | undefined
}

const isoOf = (seconds: number | null | undefined): string | undefined => {
  const time = new Date((seconds ?? Number.NaN) * 1_000)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

const SUMMARIES: { [S in Source]: (record: RecordOf[S]) => RecordSummary } = {
  tiktok: ({ main, author }) => ({
    platform: 'tiktok',
    url: author?.author_unique_id
      ? `https://www.tiktok.com/@${author.author_unique_id}/video/${main.video_id}`
      : null,
    author: author?.author_unique_id ?? author?.author_nickname ?? author?.author_id,
    text: main.description,
    posted_at: isoOf(main.create_time),
  }),
  telegram: ({ telegram: { channel, post } }) => ({
    platform: 'telegram',
    url: post.url,
    author: channel?.username ?? channel?.title ?? post.author,
    text: post.description,
  }),
  blog: ({ metadata }) => ({
    platform: 'blog',
    url: metadata.canonical ?? metadata.og_url,
    author: metadata.jsonld?.author?.name,
    text: metadata.title ?? metadata.og_title,
    posted_at: metadata.article_published_time,
  }),
  post: ({ post, author }) => ({
    platform: post.platform,
    url: post.url,
    author: author?.handle ?? author?.name ?? author?.id,
    text: post.text ?? post.title,
    posted_at: post.published_at,
  }),
}

/** Returns the summary of a record. */
export const summaryOf = (source: Source, record: RecordOf[Source]): RecordSummary => {
  const summary = (SUMMARIES[source] as (record: RecordOf[Source]) => RecordSummary)(record)
  return { ...summary, posted_at: summary.posted_at ?? record.context?.posted_at }
}
