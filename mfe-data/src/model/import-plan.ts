import type { RecordOf, Source } from '@iodine/contracts'
import { parseUrl } from '@iodine/contracts'
import type { Report } from '@iodine/imports'
import { summaryOf } from './record-summary'

/** A record of any source, as the server ingests it. */
export type ImportedRecord = RecordOf[Source]

/** Distinct accounts that are counted exactly. */
const ACCOUNTS_MAX = 100_000
/** Lines of a reason that the plan shows. */
const LINES_SHOWN = 10

/** How often something occurs in a file, with its first lines. */
export interface Counted {
  reason: string
  count: number
  lines: number[]
}

/** Contents of a file, shown before anything is sent. */
export interface Plan {
  /** Records by platform, most frequent first. */
  platforms: { name: string; count: number }[]
  accounts: number
  /** Whether there are more accounts than counted. */
  hasMoreAccounts: boolean
  /** Earliest and latest time of the posts, ISO 8601 in UTC; absent if none has one. */
  from?: string
  to?: string
  /** Items that repeat another one of the file. */
  merged: number
  /** Messages that became part of an album. */
  joined: number
  skipped: Counted[]
  warnings: Counted[]
}

const PLATFORMS: Readonly<Record<string, string>> = {
  tiktok: 'TikTok',
  telegram: 'Telegram',
  blog: 'Web pages',
  x: 'X',
  instagram: 'Instagram',
  threads: 'Threads',
  facebook: 'Facebook',
  youtube: 'YouTube',
  linkedin: 'LinkedIn',
  bluesky: 'Bluesky',
  mastodon: 'Mastodon',
  truthsocial: 'Truth Social',
  gab: 'Gab',
  pinterest: 'Pinterest',
  '9gag': '9GAG',
  imgur: 'Imgur',
  douyin: 'Douyin',
  xiaohongshu: 'RedNote',
  reddit: 'Reddit',
  vk: 'VK',
}

/** Returns the name of a platform as people write it. */
export const platformName = (platform: string): string =>
  (Object.hasOwn(PLATFORMS, platform) && PLATFORMS[platform]) || platform

const hostOf = (address: string | null | undefined): string | undefined =>
  address ? parseUrl(address)?.hostname : undefined

/** Counts reasons with their first lines, most frequent first. `counts` has more than the list if that is cut. */
const counted = (
  items: readonly { at: number; reason: string }[],
  counts: Readonly<Record<string, number>> = {},
): Counted[] => {
  const byReason = new Map<string, Counted>()
  for (const { reason, at } of items) {
    const each = byReason.get(reason) ?? { reason, count: 0, lines: [] }
    each.count += 1
    if (each.lines.length < LINES_SHOWN) each.lines.push(at)
    byReason.set(reason, each)
  }
  for (const [reason, count] of Object.entries(counts))
    byReason.set(reason, { lines: [], ...byReason.get(reason), reason, count })
  return [...byReason.values()].sort((one, other) => other.count - one.count)
}

/** Summarizes a file while it is read. */
export class PlanBuilder {
  readonly #platforms = new Map<string, number>()
  readonly #accounts = new Set<string>()
  #from = Number.POSITIVE_INFINITY
  #to = Number.NEGATIVE_INFINITY
  #hasMoreAccounts = false

  addRecord(source: Source, record: ImportedRecord): void {
    const { platform, url, author, posted_at } = summaryOf(source, record)
    const account = source === 'blog' ? hostOf(url) : author
    this.#platforms.set(platform, (this.#platforms.get(platform) ?? 0) + 1)
    if (account) {
      const key = `${platform} ${account}`
      if (this.#accounts.size < ACCOUNTS_MAX) this.#accounts.add(key)
      else if (!this.#accounts.has(key)) this.#hasMoreAccounts = true
    }
    const at = Date.parse(posted_at ?? '')
    if (at < this.#from) this.#from = at
    if (at > this.#to) this.#to = at
  }

  /** Returns the plan. @param report of the reader, at the end of the file */
  planOf({ skipped, reasons, warnings, merged, joined }: Report): Plan {
    return {
      platforms: [...this.#platforms]
        .map(([name, count]) => ({ name: platformName(name), count }))
        .sort((one, other) => other.count - one.count),
      accounts: this.#accounts.size,
      hasMoreAccounts: this.#hasMoreAccounts,
      ...(this.#from <= this.#to && {
        from: new Date(this.#from).toISOString(),
        to: new Date(this.#to).toISOString(),
      }),
      merged,
      joined,
      skipped: counted(skipped, reasons),
      warnings: counted(warnings),
    }
  }
}
