import type { Category, Iod, Stored } from '@iodine/contracts'
import { anIod } from '@iodine/test-kit/iods'

let made = 0
export const id = (): string => (++made).toString(16).padStart(24, '0')

export const iod = (value: string, category: Category = 'SENTENCE'): Iod => anIod({ value, category })

const collected = (source: string) => ({ fetch_timestamp: '2026-11-20T10:00:00.000Z', source })

export const video = (main: Partial<Stored<'tiktok'>['main']> = {}): Stored<'tiktok'> => ({
  id: id(),
  collector_metadata: collected('tiktok'),
  main: {
    video_id: `7${++made}`,
    description: 'They hide the numbers from us',
    hashtags: ['truth'],
    create_time: 1_763_000_000,
    ...main,
  },
  author: { author_unique_id: 'night.watch', author_nickname: 'Night Watch', author_follower_count: 34_000 },
})

export const post = (): Stored<'telegram'> => ({
  id: id(),
  collector_metadata: collected('telegram'),
  telegram: {
    channel: { username: 'open_eyes', title: 'Open Eyes', platform: 'telegram' },
    post: { id: '9', author: 'Open Eyes', description: 'Share it', url: 'https://t.me/open_eyes/9' },
    attachments: [
      { type: 'image', url: 'https://cdn.example.org/a.jpg', sha256: 'ab'.repeat(32) },
      { type: 'document', url: 'javascript:alert(1)', sha256: null },
    ],
  },
})

export const article = (): Stored<'blog'> => ({
  id: id(),
  collector_metadata: collected('blog'),
  metadata: {
    title: '<img src=x onerror=alert(1)>',
    canonical: 'https://blog.example.org/a',
    og_url: 'javascript:alert(1)',
    jsonld: { author: { name: 'J. Doe', url: null }, publisher: null, keywords: ['hidden', ' '] },
  },
  imageHashes: { 'https://blog.example.org/a.b$c.png': 'f0e1' },
})

export const otherPost = (fields: Partial<Stored<'post'>['post']> = {}): Stored<'post'> => ({
  id: id(),
  collector_metadata: collected('import:zeeschuimer'),
  post: {
    platform: 'x',
    id: '19',
    type: 'post',
    url: 'https://x.com/night_desk/status/19',
    text: 'They hide the numbers from all of us',
    published_at: '2025-11-13T02:13:20.000Z',
    ...fields,
  },
  author: { handle: 'night_desk', name: 'Night Desk', followers: 4_300 },
  hashtags: ['numbers'],
  mentions: ['open_eyes'],
  media: [{ type: 'image', url: 'https://cdn.example.org/chart.jpg', alt: 'A chart' }],
  metrics: { views: 4_500, likes: 40 },
})
