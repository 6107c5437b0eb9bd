import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { seededRandom } from '@iodine/test-kit'

const FIRST_ID = 1_988_800_000_000_000_000n
/** Distance of ids: 1,024 ms, as X's ids contain their time in milliseconds above 22 bits. */
const STEP = 1_024n << 22n
const X_EPOCH_MS = 1_288_834_974_657n
const ACCOUNTS = 5_000
const WORDS =
  'lake mirror number letter engineer harbour election ledger river gauge lantern pier quay été žába 潮 tide'.split(
    ' ',
  )

const idOf = (n: number): string => String(FIRST_ID + BigInt(n) * STEP)
const timeOf = (n: number): string => {
  const date = new Date(Number((BigInt(idOf(n)) >> 22n) + X_EPOCH_MS))
  const [day, date_, month, year, time] = date.toUTCString().replace(',', '').split(' ')
  return `${day} ${month} ${date_} ${time} +0000 ${year}`
}

/** Returns the author of a post as X's web app receives it. */
const userOf = (n: number) => {
  const account = n % ACCOUNTS
  return {
    __typename: 'User',
    id: `VXNlcjo${account}`,
    rest_id: String(1_700_000_000_000_000_000n + BigInt(account)),
    core: {
      screen_name: `account_${account}`,
      name: `Account ${account}`,
      created_at: 'Mon Jan 01 00:00:00 +0000 2024',
    },
    avatar: { image_url: `https://pbs.example.org/${account}.jpg` },
    is_blue_verified: account % 10 === 0,
    legacy: {
      description: 'A generated account',
      followers_count: account * 3,
      friends_count: account,
      statuses_count: account * 7,
    },
  }
}

/** Returns a post of X in the form of its web app: every third one is a repost, every third one has media and a link. */
const postOf = (n: number, random: () => number, isOriginal = false): Record<string, unknown> => {
  const id = idOf(n)
  const kind = isOriginal ? 0 : n % 3
  const words = Array.from({ length: 30 }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ')
  const link = { url: `https://t.co/${n}`, expanded_url: `https://news.example.org/${n % 1_000}` }
  const mention = { screen_name: `account_${(n + 1) % ACCOUNTS}` }
  const media = [
    {
      type: 'photo',
      media_url_https: `https://pbs.example.org/media/${n}.jpg`,
      ext_alt_text: 'A gauge',
      expanded_url: `https://x.com/account_${n % ACCOUNTS}/status/${id}/photo/1`,
    },
  ]
  return {
    __typename: 'Tweet',
    rest_id: id,
    core: { user_results: { result: userOf(n) } },
    views: { count: String(n % 90_000), state: 'EnabledWithCount' },
    source: '<a href="https://mobile.example.org" rel="nofollow">Web</a>',
    edit_control: { edit_tweet_ids: [id], editable_until_msecs: '1763000000000', edits_remaining: '5' },
    legacy: {
      id_str: id,
      user_id_str: userOf(n).rest_id,
      created_at: timeOf(n),
      full_text: kind === 2 ? `RT: ${words.slice(0, 60)}…` : `${words} #tide${n % 50} &amp; more ${link.url}`,
      lang: 'en',
      conversation_id_str: idOf(n - (n % 5)),
      favorite_count: n % 1_000,
      retweet_count: n % 100,
      reply_count: n % 30,
      quote_count: n % 10,
      bookmark_count: n % 20,
      entities: { hashtags: [{ text: `tide${n % 50}` }], urls: [link], user_mentions: [mention] },
      ...(kind === 1 && { extended_entities: { media }, in_reply_to_status_id_str: idOf(n - 1) }),
      ...(kind === 2 && {
        retweeted_status_result: {
          result: { __typename: 'TweetWithVisibilityResults', tweet: postOf(n - 1, random, true) },
        },
      }),
    },
  }
}

/** Yields lines of Zeeschuimer with posts of X. In every third one, the id is a number that JSON.parse would round. */
function* linesOf(posts: number): Generator<string> {
  const random = seededRandom(1)
  let part = ''
  for (let n = 0; n < posts; n += 1) {
    const line = JSON.stringify({
      id: n + 1,
      nav_index: '4:17:2',
      item_id: idOf(n),
      timestamp_collected: 1_763_600_000_123 + n,
      last_updated: 1_763_600_000_123 + n,
      source_platform: 'twitter.com',
      source_platform_url: 'https://x.com/home',
      source_url: 'https://x.com/i/api/graphql/HomeTimeline',
      user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
      data: postOf(n, random),
    })
    part += n % 3 === 1 ? line.replace(/"item_id":"(\d+)"/, '"item_id":$1') : line
    part += '\n'
    if (part.length < 65_536) continue
    yield part
    part = ''
  }
  yield part
}

/** Writes a file as Zeeschuimer exports it, with generated posts of X: 2 kB a post. */
export const writePosts = (file: string, posts: number): Promise<void> =>
  pipeline(Readable.from(linesOf(posts)), createWriteStream(file))
