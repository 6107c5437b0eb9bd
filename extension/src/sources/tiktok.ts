import type { TiktokRecord } from '@iodine/contracts'
import { parseUrl } from '@iodine/contracts'
import { at, countOf, type Found, filled, firstTexts, jsonOf, listOf, type PageState, textOf } from './read'

/** Paths of a post: with its author, as `/@/video/ID` without one, embedded, and on phones. */
const POST_PATH =
  /^\/(?:@(?<author>[^/]*)\/(?:video|photo)\/|(?:embed(?:\/v\d)?|player\/v\d|(?:i18n\/)?share\/video|v)\/)(?<id>\d+)/
const LIST_PATH = /^\/api\/(?!preload\/)(?:[\w-]+\/)*(?:item_list|search\/(?:general|item)\/full)\/?$/

export const isTiktokHost = (host: string): boolean => host === 'tiktok.com' || host.endsWith('.tiktok.com')

/** Returns whether the response of this URL is a list of posts. */
export const isTiktokList = (address: string): boolean => {
  const url = parseUrl(address)
  return url !== undefined && isTiktokHost(url.hostname) && LIST_PATH.test(url.pathname)
}

/** Reads the post of the page's URL; on other pages, the posts of the lists in the page's state. */
export const readTiktokPage = ({ document, url, time }: PageState): Found<TiktokRecord> => {
  const records = unique(stateItems(document).map(item => recordOf(item, time)))
  const { author: uniqueId, id: videoId } = POST_PATH.exec(parseUrl(url)?.pathname ?? '')?.groups ?? {}
  if (!videoId) return { own: undefined, all: records }
  const shown: TiktokRecord = records.find(record => record.main.video_id === videoId) ?? {
    collector_metadata: { fetch_timestamp: time, source: 'tiktok' },
    main: { video_id: videoId },
    author: filled({ author_unique_id: textOf(decoded(uniqueId)) }),
  }
  const stats = { ...shownCounts(document), ...shown.stats }
  const own = { ...shown, ...(Object.keys(stats).length > 0 && { stats }) }
  if (!own.author) delete own.author
  // The state is that of the page load. The user may have navigated to another post since.
  return { own, all: [own] }
}

/** Reads the posts of a list that the page fetched. */
export const readTiktokList = (body: unknown, time: string): TiktokRecord[] =>
  unique(
    [
      ...listOf(at(body, 'itemList')),
      ...listOf(at(body, 'item_list')),
      ...listOf(at(body, 'data')).map(entry => at(entry, 'item')),
    ].map(item => recordOf(item, time)),
  )

const unique = (records: (TiktokRecord | undefined)[]): TiktokRecord[] => [
  ...new Map(
    records.filter(record => record !== undefined).map(record => [record.main.video_id, record]),
  ).values(),
]

const stateItems = (document: Document): unknown[] => {
  const scope = at(
    jsonOf(document.querySelector('script#__UNIVERSAL_DATA_FOR_REHYDRATION__')),
    '__DEFAULT_SCOPE__',
  )
  const older = jsonOf(document.querySelector('script#SIGI_STATE'))
  return [
    ...valuesOf(at(older, 'ItemModule')),
    ...listOf(at(scope, 'webapp.updated-items')),
    // `webapp.video-detail`, on phones `webapp.reflow.video.detail`: names change more often than their content.
    ...valuesOf(scope).map(part => at(part, 'itemInfo', 'itemStruct')),
  ]
}

const valuesOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : []

const recordOf = (item: unknown, time: string): TiktokRecord | undefined => {
  const videoId = textOf(at(item, 'id'))
  if (!videoId || !/^\d+$/.test(videoId) || at(item, 'liveRoomInfo') !== undefined) return undefined
  const flatAuthor = textOf(at(item, 'author'))
  // The older group is rounded, and overflows at 2³¹.
  const countIn = (group: string, ...names: string[]) =>
    firstCount(...[`${group}V2`, group].flatMap(version => names.map(name => at(item, version, name))))
  const stat = (name: string) => countIn('stats', name)
  const authorStat = (...names: string[]) => countIn('authorStats', ...names)
  const record: TiktokRecord = {
    collector_metadata: { fetch_timestamp: time, source: 'tiktok' },
    main: {
      video_id: videoId,
      ...filled({
        description: textOf(at(item, 'desc')),
        hashtags: firstTexts(
          hashtagsOf(item),
          listOf(at(item, 'contents')).flatMap(hashtagsOf),
          listOf(at(item, 'challenges')).map(challenge => at(challenge, 'title')),
        ),
        create_time: countOf(at(item, 'createTime')),
      }),
    },
  }
  const groups = {
    author: filled({
      author_id: textOf(at(item, 'author', 'id')) ?? textOf(at(item, 'authorId')),
      author_unique_id: textOf(at(item, 'author', 'uniqueId')) ?? flatAuthor,
      author_nickname: textOf(at(item, 'author', 'nickname')) ?? textOf(at(item, 'nickname')),
      author_description: textOf(at(item, 'author', 'signature')),
      author_following_count: authorStat('followingCount'),
      author_follower_count: authorStat('followerCount'),
      author_heart_count: authorStat('heartCount', 'heart'),
      author_video_count: authorStat('videoCount'),
    }),
    stats: filled({
      play_count: stat('playCount'),
      digg_count: stat('diggCount'),
      comment_count: stat('commentCount'),
      share_count: stat('shareCount'),
      collect_count: stat('collectCount'),
      repost_count: stat('repostCount'),
    }),
    sound: filled({
      sound_id: textOf(at(item, 'music', 'id')),
      sound_name: textOf(at(item, 'music', 'title')),
      sound_author: textOf(at(item, 'music', 'authorName')),
    }),
    classification: filled({
      location_created: textOf(at(item, 'locationCreated')),
      diversification_labels: firstTexts(listOf(at(item, 'diversificationLabels'))),
      suggested_words: firstTexts(
        listOf(at(item, 'suggestedWords')),
        listOf(at(item, 'videoSuggestWordsList', 'video_suggest_words_struct'))
          .flatMap(group => listOf(at(group, 'words')))
          .map(entry => at(entry, 'word')),
      ),
    }),
  }
  return { ...record, ...filled(groups) }
}

const hashtagsOf = (holder: unknown): unknown[] =>
  listOf(at(holder, 'textExtra')).map(extra => at(extra, 'hashtagName'))

const firstCount = (...values: unknown[]): number | undefined =>
  values.map(countOf).find(count => count !== undefined)

const COUNTS = {
  digg_count: 'like-count',
  comment_count: 'comment-count',
  share_count: 'share-count',
  collect_count: 'favorite-count',
} as const

/** Returns the counts on the page, if it shows those of only one post. */
const shownCounts = (document: Document): Partial<Record<keyof typeof COUNTS, number>> => {
  const counts = Object.entries(COUNTS).map(([name, mark]) => {
    const elements = [...document.querySelectorAll(`[data-e2e="${mark}"]`)]
    return [name, elements.length === 1 ? countOf(elements[0]?.textContent) : undefined]
  })
  return Object.fromEntries(counts.filter(([, count]) => count !== undefined))
}

const decoded = (part = ''): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
