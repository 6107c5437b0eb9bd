import { at, countAt, firstText, idAt, textAt, timeFrom } from '../json/fields.js'
import type { JsonFormat } from '../json/read.js'
import { unescapeEntities } from '../text/html.js'
import { referenceTo, xRecord } from './x-posts.js'
import { xEntities, xMedia } from './zeeschuimer/twitter.js'

/** Removes the assignment before the JSON of an archive's file: `window.YTD.tweets.part0 = [`. */
export async function* withoutAssignment(
  texts: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  let head = ''
  let isOpen = true
  for await (const text of texts) {
    if (!isOpen) {
      yield text
      continue
    }
    head += text
    const start = /^\s*window\.YTD\.[\w.]+\s*=\s*/.exec(head)?.[0]
    if (start === undefined && head.length < 1_000) continue
    isOpen = false
    yield head.slice(start?.length ?? 0)
  }
  if (isOpen && head) yield head.replace(/^\s*window\.YTD\.[\w.]+\s*=\s*/, '')
}

const REPOSTED = /^RT @(\w+): /

/** Posts of an archive of X. The account is not in them; the texts of reposts are cut. */
export const xArchive: JsonFormat = {
  by: 'x-archive',
  lists: [],
  read(item, context) {
    const post = at(item, 'tweet') ?? item
    const id = idAt(post, 'id_str') ?? idAt(post, 'id')
    if (!id) return { skipped: at(post, 'full_text') === undefined ? 'not-a-post' : 'no-id' }
    const handle = context.answers.username?.replace(/^@/, '')
    const text = unescapeEntities(firstText(post, 'full_text', 'text') ?? '')
    const [prefix, reposted] = REPOSTED.exec(text) ?? []
    const answered = referenceTo(
      idAt(post, 'in_reply_to_status_id_str'),
      textAt(post, 'in_reply_to_screen_name'),
    )
    const record = xRecord(
      {
        id,
        type: reposted ? 'repost' : 'post',
        text: text.slice(prefix?.length ?? 0),
        language: textAt(post, 'lang'),
        published_at: timeFrom(at(post, 'created_at'), context),
        author: { handle },
        relations: {
          ...(answered && { in_reply_to: answered }),
          ...(reposted && { repost_of: { author: reposted } }),
        },
        ...xEntities(at(post, 'entities')),
        media: xMedia(post),
        // Counts of a repost are its own, not those of the original.
        metrics: reposted
          ? {}
          : { likes: countAt(post, 'favorite_count'), shares: countAt(post, 'retweet_count') },
      },
      undefined,
      context.origin,
    )
    return record
  },
}
