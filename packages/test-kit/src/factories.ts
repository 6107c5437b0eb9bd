import {
  authApi,
  type BlogRecord,
  type NewIod,
  type PostRecord,
  type Profile,
  profileApi,
  type TelegramRecord,
  type TiktokRecord,
} from '@iodine/contracts'
import { type ApiClient, apiClient } from './client.js'
import { linkIn, type Mail } from './mail.js'

let made = 0
/** Returns a number that no earlier call in this process returned. */
const fresh = () => `${process.pid}${++made}`

export interface SignedInUser {
  id: string
  email: string
  username: string | null
  token: string
  api: ApiClient
}

/**
 * Signs a user in by mail: requests a link, reads it from the mail, follows it, and chooses a username (null:
 * none yet).
 */
export const signUp = async (
  { url, mail }: { url: string; mail: { waitForMail(to: string): Promise<Pick<Mail, 'text' | 'html'>> } },
  email = `person${fresh()}@example.org`,
  username: string | null = `person_${fresh()}`,
): Promise<SignedInUser> => {
  const anonymous = apiClient(url)
  await anonymous.call(authApi.requestMagicLink, { body: { email } })
  let link: URL
  // Mails of other kinds may be waiting.
  do link = new URL(linkIn(await mail.waitForMail(email)))
  while (link.pathname !== '/magic-login')
  const { access_token: token, has_username } = await anonymous.call(authApi.verifyMagicLink, {
    body: { token: link.searchParams.get('token') ?? '' },
  })
  const api = apiClient(url, token)
  const profile: Profile =
    username === null || has_username
      ? await api.call(profileApi.getProfile)
      : await api.call(profileApi.setupUsername, { body: { username } })
  return { id: profile.id, email, username: profile.username, token, api }
}

const collected = (source: string) => ({ fetch_timestamp: new Date().toISOString(), source })

/** Returns a short-video post as the collector sends it. */
export const tiktokPost = (main: Partial<TiktokRecord['main']> = {}): TiktokRecord => ({
  collector_metadata: collected('tiktok'),
  main: {
    video_id: `7${fresh()}`,
    description: 'They hide the numbers from us',
    hashtags: ['truth', 'wakeup'],
    create_time: 1_763_000_000,
    ...main,
  },
  author: {
    author_id: '6800000000000000001',
    author_unique_id: 'night.watch',
    author_nickname: 'Night Watch',
    author_description: 'What they do not show you',
    author_following_count: 12,
    author_follower_count: 34_000,
    author_heart_count: 560_000,
    author_video_count: 78,
  },
  stats: {
    play_count: 90_000,
    digg_count: 8_000,
    comment_count: 700,
    share_count: 600,
    collect_count: 50,
    repost_count: 4,
  },
  sound: { sound_id: '7000000000000000002', sound_name: 'original sound', sound_author: 'Night Watch' },
  classification: { location_created: 'FR', diversification_labels: ['News'], suggested_words: ['numbers'] },
})

/** Returns a messaging-channel post as the collector sends it. */
export const telegramPost = (post: Partial<TelegramRecord['telegram']['post']> = {}): TelegramRecord => {
  const number = fresh()
  return {
    collector_metadata: collected('telegram'),
    telegram: {
      channel: { username: 'open_eyes', title: 'Open Eyes', platform: 'telegram' },
      post: {
        id: number,
        author: 'Open Eyes',
        description: 'Share before it is deleted',
        url: `https://t.me/open_eyes/${number}`,
        ...post,
      },
      attachments: [{ type: 'image', url: 'https://cdn.example.org/leaflet.jpg', sha256: 'ab'.repeat(32) }],
    },
  }
}

/** Returns a blog article as the collector sends it. */
export const blogArticle = (metadata: Partial<BlogRecord['metadata']> = {}): BlogRecord => ({
  collector_metadata: collected('blog'),
  metadata: {
    title: 'The numbers nobody prints',
    description: 'A closer look',
    canonical: `https://blog.example.org/numbers-${fresh()}`,
    og_title: 'The numbers nobody prints',
    og_site_name: 'Night Blog',
    jsonld: {
      author: { name: 'J. Doe', url: 'https://blog.example.org/j-doe' },
      publisher: {
        name: 'Night Media',
        url: 'https://media.example.org',
        logo: { url: 'https://media.example.org/logo.png' },
      },
      keywords: ['numbers', 'hidden'],
    },
    ...metadata,
  },
  imageHashes: { 'https://blog.example.org/a.b$c.png': 'f0e1d2c3' },
})

/** Returns a post of another platform as an import sends it. */
export const platformPost = (post: Partial<PostRecord['post']> = {}): PostRecord => {
  const id = `19${fresh()}`
  return {
    collector_metadata: collected('import:zeeschuimer'),
    post: {
      platform: 'x',
      id,
      type: 'post',
      url: `https://x.com/night_desk/status/${id}`,
      text: 'They hide the numbers from all of us',
      language: 'en',
      published_at: '2025-11-13T02:13:20.000Z',
      ...post,
    },
    author: {
      id: '1700000000000000009',
      handle: 'night_desk',
      name: 'Night Desk',
      url: 'https://x.com/night_desk',
      description: 'What the day does not print',
      followers: 4_300,
      verified: false,
    },
    hashtags: ['numbers'],
    mentions: ['open_eyes'],
    links: ['https://blog.example.org/numbers'],
    media: [{ type: 'image', url: 'https://cdn.example.org/chart.jpg', alt: 'A chart' }],
    metrics: { views: 4_500, likes: 40, comments: 3, shares: 7 },
    location: { name: 'Port Lanternay', country: 'FR' },
  }
}

/** Returns the input to create an IOD, with a unique value. */
export const iodInput = (fields: Partial<NewIod> = {}): NewIod => ({
  value: `They hide the numbers ${fresh()}`,
  category: 'SENTENCE',
  description: 'Seen under several posts',
  source_type: 'MANUAL',
  ...fields,
})
