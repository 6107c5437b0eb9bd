import { at, textAt, timeFrom } from '../../json/fields.js'
import type { ItemContext, ItemResult, JsonFormat } from '../../json/read.js'
import { readDouyin } from './douyin.js'
import { readGab, readTruth } from './fediverse.js'
import { readImgur, readNineGag, readPinterest } from './galleries.js'
import { readInstagram, readThreads } from './instagram.js'
import { readFacebook, readLinkedin } from './networks.js'
import { readTiktok, readTiktokComment } from './tiktok.js'
import { readTwitter } from './twitter.js'
import { readXiaohongshu, readXiaohongshuComment } from './xiaohongshu.js'

/** Reads the object of a platform that Zeeschuimer intercepted (digitalmethodsinitiative/zeeschuimer, `modules/`). */
type Read = (data: unknown, context: ItemContext) => ItemResult

const PLATFORMS: Readonly<Record<string, Read>> = {
  'tiktok.com': readTiktok,
  'tiktok-comments': readTiktokComment,
  'twitter.com': readTwitter,
  'x.com': readTwitter,
  'instagram.com': readInstagram,
  'threads.net': readThreads,
  'threads.com': readThreads,
  'truthsocial.com': readTruth,
  'gab.com': readGab,
  'pinterest.com': readPinterest,
  '9gag.com': readNineGag,
  'imgur.com': readImgur,
  'douyin.com': readDouyin,
  'xiaohongshu.com': readXiaohongshu,
  'rednote.com': readXiaohongshu,
  'xiaohongshu-comments': readXiaohongshuComment,
  'rednote-comments': readXiaohongshuComment,
  'linkedin.com': readLinkedin,
  'facebook.com': readFacebook,
}

/** Returns what the tool wrote about an item, and the item. 4CAT writes them in reverse order. */
const unwrapped = (item: unknown) => {
  const meta = at(item, '__import_meta')
  if (meta === undefined) return { wrapper: item, data: at(item, 'data'), by: 'zeeschuimer' }
  return { wrapper: meta, data: item, by: '4cat' }
}

/** Items of Zeeschuimer, as it writes them and as 4CAT does. Page addresses and the browser's name are not read. */
export const zeeschuimer: JsonFormat = {
  by: 'zeeschuimer',
  lists: [],
  read(item, context) {
    const { wrapper, data, by } = unwrapped(item)
    const platform = textAt(wrapper, 'source_platform')
    if (platform === undefined || typeof data !== 'object' || data === null) return { skipped: 'not-an-item' }
    const name = platform.toLowerCase().replace(/^www\./, '')
    const read = Object.hasOwn(PLATFORMS, name) ? PLATFORMS[name] : undefined
    if (!read) return { skipped: 'unknown-platform', detail: platform.slice(0, 100) }
    const written = at(wrapper, 'last_updated') ?? at(wrapper, 'timestamp_collected')
    const collected = timeFrom(written, { warnings: new Set() })
    const origin = { fetched: collected ?? context.origin.fetched, by }
    const result = read(data, { ...context, origin })
    return 'skipped' in result ? result : { ...result, timed: collected !== undefined }
  },
}
