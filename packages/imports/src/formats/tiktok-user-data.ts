import { countAt, firstText, textAt, timeFrom } from '../json/fields.js'
import type { Keys } from '../json/parse.js'
import { pathValues } from '../json/values.js'
import { filled } from '../records/of-draft.js'
import { addressOf } from '../text/addresses.js'
import { hashtagsIn } from '../text/found.js'
import { secondsOf } from '../text/times.js'
import type { Answers, Item, Warning } from '../types.js'

/** Lists of TikTok's own data, by the last two keys of their paths, which have moved between versions. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  posts: ['Videos.VideoList', 'Posts.VideoList'],
  watched: ['Video Browsing History.VideoList', 'Watch History.VideoList'],
  liked: ['Like List.ItemFavoriteList'],
  favorites: ['Favorite Videos.FavoriteVideoList'],
  shared: ['Share History.ShareHistoryList'],
}
/** Lists that a user may choose. Messages, comments, searches and logins are never read. */
export const USER_DATA_PARTS = Object.keys(LISTS)

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  posts: ['Video', 'Post'],
  watched: ['Activity', 'Your Activity'],
  liked: ['Activity', 'Your Activity', 'Likes and Favorites'],
  favorites: ['Activity', 'Your Activity', 'Likes and Favorites'],
  shared: ['Activity', 'Your Activity'],
}

const pathsOf = (part: string): string[] =>
  (GROUPS[part] ?? []).flatMap(group => (LISTS[part] ?? []).map(list => `$.${group}.${list}.*`))

const partOf = (keys: Keys): string | undefined => {
  const list = keys.slice(1, 3).join('.')
  return USER_DATA_PARTS.find(part => LISTS[part]?.includes(list))
}

const readEntry = (entry: unknown, part: string, at: number, answers: Answers): Item => {
  const address = addressOf(firstText(entry, 'Link', 'link', 'VideoLink', 'url') ?? '')
  if ('skipped' in address && address.skipped !== 'not-a-post') return { skipped: address.skipped, line: at }
  if ('skipped' in address || address.source !== 'tiktok') return { skipped: 'not-a-video', line: at }
  const warnings = new Set<Warning>()
  const time = timeFrom(firstText(entry, 'Date', 'date'), { warnings }, { zone: 'UTC' })
  const isOwn = part === 'posts'
  const title = isOwn ? textAt(entry, 'Title') : undefined
  const likes = isOwn ? countAt(entry, 'Likes') : undefined
  const record = {
    collector_metadata: { fetch_timestamp: answers.file_time, source: 'import:tiktok-user-data' },
    ...filled({
      main: {
        video_id: address.id,
        description: title,
        hashtags: title && hashtagsIn(title),
        create_time: isOwn ? secondsOf(time) : undefined,
      },
      author: { author_unique_id: address.handle },
      stats: { digg_count: likes },
    }),
  }
  return {
    source: 'tiktok',
    record,
    at,
    // A list states when the user watched or liked a video, not when it was posted.
    ...(!isOwn && { also: filled({ list: part, at: time }) }),
    ...(warnings.size > 0 && { warnings: [...warnings] }),
  } as Item
}

/** Reads the chosen lists of TikTok's own data, by default the user's own posts, in the order of the choice. */
export async function* readTiktokUserData(
  texts: AsyncIterable<string>,
  answers: Answers,
): AsyncGenerator<Item, void, undefined> {
  const parts = (answers.parts ?? ['posts']).filter(part => Object.hasOwn(LISTS, part))
  const entries = new Map<string, unknown[]>(parts.map(part => [part, []]))
  const values = pathValues(texts, [...parts.flatMap(pathsOf)])
  let end: 'whole' | 'cut' | 'broken' | undefined
  while (!end) {
    const { done, value: found } = await values.next()
    if (done) end = found
    else entries.get(partOf(found.keys) ?? '')?.push(found.value)
  }
  let number = 0
  for (const [part, list] of entries)
    for (const entry of list) {
      number += 1
      yield readEntry(entry, part, number, answers)
    }
  if (end === 'cut') yield { warning: 'cut-file', line: number + 1 }
  if (end === 'broken') yield { skipped: 'broken-line', line: number + 1 }
}
