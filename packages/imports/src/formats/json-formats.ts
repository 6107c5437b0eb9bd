import type { JsonFormat } from '../json/read.js'
import { bluesky } from './bluesky.js'
import { activitypub, mastodon } from './mastodon.js'
import { snscrape } from './snscrape.js'
import { telegramScraper } from './telegram/scraper.js'
import { telethon } from './telegram/telethon.js'
import { tiktokResearchComments, tiktokResearchVideos } from './tiktok-research.js'
import { xApiV2 } from './x-api-v2.js'
import { xArchive } from './x-archive.js'
import { zeeschuimer } from './zeeschuimer/index.js'

/** Formats of JSON files by name. */
export const JSON_FORMATS = {
  zeeschuimer,
  'telegram-scraper': telegramScraper,
  telethon,
  'tiktok-research-videos': tiktokResearchVideos,
  'tiktok-research-comments': tiktokResearchComments,
  'x-api-v2': xApiV2,
  'x-archive': xArchive,
  snscrape,
  bluesky,
  mastodon,
  activitypub,
} as const satisfies Record<string, JsonFormat>
