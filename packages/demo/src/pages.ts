import {
  type BlogRecord,
  COLLECTED_SOURCES,
  type CollectedSource,
  type RecordOf,
  statedUrl,
  type TelegramRecord,
  type TiktokRecord,
} from '@iodine/contracts'
import { demoNarratives } from './narratives.js'
import { demoRecords } from './records.js'

export interface DemoPage {
  source: CollectedSource
  url: string
  /** HTML of the post or article. */
  html: string
  record: RecordOf[CollectedSource]
  /** Index of the account that captures it. */
  by: number
  /** Whether that account shares the capture. */
  shared: boolean
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const paragraphs = (text: string) =>
  text
    .split('\n')
    .map(line => `<p>${escaped(line)}</p>`)
    .join('')
const hashtags = (names: readonly string[]) =>
  names.map(name => `<a href="/tag/${encodeURIComponent(name)}">#${escaped(name)}</a>`).join(' ')
/** Page content that captures exclude. */
const EXCLUDED = '<script>track()</script><form><input name="reply"><button>Reply</button></form>'

const clipPage = ({ main, author }: TiktokRecord) => `<article>
<header><a href="/@${author?.author_unique_id}">${escaped(author?.author_unique_id ?? '')}</a> · ${escaped(author?.author_nickname ?? '')}</header>
${paragraphs(main.description ?? '')}
<p>${hashtags(main.hashtags ?? [])}</p>${EXCLUDED}
</article>`

const postPage = ({ telegram: { channel, post, attachments } }: TelegramRecord) => `<article>
<header><a href="/${channel?.username}">${escaped(channel?.title ?? '')}</a> @${escaped(channel?.username ?? '')}</header>
${paragraphs(post.description ?? '')}
<ul>${(attachments ?? []).map(({ url }) => `<li>${escaped(url?.split('/').at(-1) ?? 'document')}</li>`).join('')}</ul>
<footer>${escaped(post.author ?? '')}</footer>${EXCLUDED}
</article>`

const articlePage = ({ metadata }: BlogRecord) => `<article>
<h1>${escaped(metadata.title ?? '')}</h1>
<p>By ${escaped(metadata.jsonld?.author?.name ?? '')} for ${escaped(metadata.jsonld?.publisher?.name ?? '')}</p>
${paragraphs(metadata.description ?? '')}
${demoNarratives
  .filter(({ src, by }) => src === metadata.canonical && by === 0)
  .map(({ text }) => paragraphs(text))
  .join('\n')}
<footer><a href="${escaped(metadata.canonical ?? '')}">${escaped(metadata.canonical ?? '')}</a></footer>${EXCLUDED}
</article>`

const HTML = { tiktok: clipPage, telegram: postPage, blog: articlePage }

const urlOf = (source: CollectedSource, record: RecordOf[CollectedSource]): string => {
  if (source !== 'tiktok') return (statedUrl[source] as (record: RecordOf[CollectedSource]) => string)(record)
  const { author, main } = record as TiktokRecord
  return `https://clips.example/@${author?.author_unique_id}/${main.video_id}`
}

/** By source: index of the record in the demo records, capturing account, and whether it shares the capture. */
const CAPTURED: { [S in CollectedSource]: [index: number, by: number, shared: boolean][] } = {
  tiktok: [
    [0, 2, true],
    [6, 0, false],
    [9, 0, true],
    [11, 0, false],
  ],
  telegram: [
    [0, 1, true],
    [4, 0, false],
    [10, 0, true],
  ],
  blog: [
    [0, 0, true],
    [1, 1, false],
    [5, 0, true],
    [6, 0, false],
    [8, 0, true],
    [9, 0, false],
  ],
}

/** Pages of some demo records, for captures. */
export const demoPages: readonly DemoPage[] = COLLECTED_SOURCES.flatMap(source =>
  CAPTURED[source].map(([index, by, shared]) => {
    const record = demoRecords[source][index] as RecordOf[CollectedSource]
    const html = (HTML[source] as (record: RecordOf[CollectedSource]) => string)(record)
    return { source, url: urlOf(source, record), html, record, by, shared }
  }),
)
