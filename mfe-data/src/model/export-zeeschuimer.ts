import type { Stored } from '@iodine/contracts'

/** An item of a Zeeschuimer file: https://github.com/digitalmethodsinitiative/zeeschuimer */
export interface ZeeschuimerItem {
  nav_index: string
  item_id: string
  /** Milliseconds since 1970. */
  timestamp_collected: number
  source_platform: string
  source_platform_url: string
  source_url: string
  user_agent: string
  data: Record<string, unknown>
}

/**
 * Returns a short video as an item that 4CAT's `datasources/tiktok/search_tiktok.py` reads; undefined without the author's
 * name or the time, which 4CAT requires. Counts that are not known are null. 4CAT reads `duetFromId` 0 as no duet.
 */
export function toZeeschuimer(record: Stored<'tiktok'>): ZeeschuimerItem | undefined {
  const { main, author, stats, sound, classification, collector_metadata } = record
  const name = author?.author_unique_id
  if (!name || main.create_time == null) return undefined
  return {
    nav_index: '0:0:0',
    item_id: main.video_id,
    timestamp_collected: Date.parse(collector_metadata.fetch_timestamp),
    source_platform: 'tiktok.com',
    source_platform_url: 'https://www.tiktok.com/',
    source_url: `https://www.tiktok.com/@${name}/video/${main.video_id}`,
    user_agent: '',
    data: {
      id: main.video_id,
      desc: main.description ?? '',
      createTime: main.create_time,
      author: {
        id: author.author_id ?? '',
        uniqueId: name,
        nickname: author.author_nickname ?? '',
        signature: author.author_description ?? '',
      },
      authorStats: {
        followerCount: author.author_follower_count ?? null,
        followingCount: author.author_following_count ?? null,
        heartCount: author.author_heart_count ?? null,
        videoCount: author.author_video_count ?? null,
      },
      stats: {
        diggCount: stats?.digg_count ?? null,
        commentCount: stats?.comment_count ?? null,
        shareCount: stats?.share_count ?? null,
        playCount: stats?.play_count ?? null,
        collectCount: stats?.collect_count ?? null,
        repostCount: stats?.repost_count ?? null,
      },
      music: {
        id: sound?.sound_id ?? '',
        title: sound?.sound_name ?? '',
        authorName: sound?.sound_author ?? '',
        playUrl: '',
      },
      textExtra: (main.hashtags ?? []).map(hashtagName => ({ hashtagName })),
      video: {},
      duetInfo: { duetFromId: '0' },
      locationCreated: classification?.location_created ?? '',
      diversificationLabels: classification?.diversification_labels ?? [],
      suggestedWords: classification?.suggested_words ?? [],
    },
  }
}
