import { describe, expect, it } from 'vitest'
import { canonicalLink, canonicalLinkOf } from '../src/canonical-link.js'

const V = '7423000000000000101'
/** Canonical form and equivalent URLs, by platform. */
const SAME: Record<string, [canonical: string, ...addresses: string[]][]> = {
  TikTok: [
    [
      `tiktok.com/@_/video/${V}`,
      `https://www.tiktok.com/@User.Name/video/${V}`,
      `https://www.tiktok.com/@user.name/video/${V}?_r=1&_t=ZS-8abc`,
      `https://www.tiktok.com/@user.name/video/${V}?u_code=d9&share_item_id=${V}&share_link_id=x&timestamp=1`,
      `https://www.tiktok.com/@user.name/video/${V}/?is_from_webapp=1&sender_device=pc&web_id=7#x`,
      `http://m.tiktok.com/v/${V}.html?u_code=1`,
      `https://www.tiktok.com/@user.name/photo/${V}`,
      `https://www.tiktok.com/embed/v2/${V}`,
      `https://www.tiktok.com/player/v1/${V}?autoplay=1`,
      `https://www.tiktok.com/@/video/${V}`,
    ],
    [
      'tiktok.com/@user.name',
      'https://www.tiktok.com/@User.Name?lang=fr&_t=8',
      'https://m.tiktok.com/@user.name/',
    ],
    // Only the platform can resolve short links.
    ['vm.tiktok.com/ZMabc', 'https://vm.tiktok.com/ZMabc/', 'https://vm.tiktok.com/ZMabc?_t=1'],
  ],
  Telegram: [
    [
      't.me/varnelwatch/811',
      'https://t.me/varnelwatch/811',
      'https://t.me/s/VarnelWatch/811',
      'https://telegram.me/varnelwatch/811/',
      'http://www.t.me/varnelwatch/811?single&embed=1',
      'https://t.me/varnelwatch/811?comment=34',
      'https://t.me/varnelwatch/5/811?thread=5',
      'https://varnelwatch.t.me/811',
      'tg://resolve?domain=VarnelWatch&post=811&single',
    ],
    [
      't.me/varnelwatch',
      'https://t.me/VarnelWatch',
      'https://t.me/s/varnelwatch/?before=800',
      'https://t.me/s/varnelwatch?q=x',
    ],
    ['t.me/c/123456/78', 'https://t.me/c/123456/78?single', 'https://t.me/c/123456/5/78'],
    ['t.me/+AbCdEf', 'https://t.me/+AbCdEf'],
    ['example.org/a', 'https://t.me/iv?url=https%3A%2F%2Fexample.org%2Fa%3Futm_source%3Dx&rhash=1'],
  ],
  X: [
    [
      'x.com/i/status/1234567890',
      'https://twitter.com/Name/status/1234567890?s=20&t=abc',
      'https://x.com/name/status/1234567890',
      'https://mobile.twitter.com/name/statuses/1234567890/',
      'https://x.com/i/web/status/1234567890?ref_src=twsrc%5Etfw',
      'https://x.com/name/status/1234567890/photo/1',
      'https://fxtwitter.com/name/status/1234567890',
    ],
    ['x.com/name', 'https://twitter.com/Name?lang=en', 'https://x.com/name/'],
    ['x.com/search?q=Mirrors', 'https://twitter.com/search?q=Mirrors&utm_source=x'],
  ],
  YouTube: [
    [
      'youtube.com/watch?v=dQw4w9WgXcQ',
      'https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=42s&list=PL1&index=2&pp=x&ab_channel=y',
      'https://youtu.be/dQw4w9WgXcQ?si=abc&t=3',
      'https://m.youtube.com/shorts/dQw4w9WgXcQ?feature=share',
      'https://www.youtube.com/live/dQw4w9WgXcQ',
      'https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ',
      'https://music.youtube.com/watch?v=dQw4w9WgXcQ',
    ],
    ['youtube.com/playlist?list=PLabc', 'https://www.youtube.com/playlist?list=PLabc&si=x'],
    ['youtube.com/@name', 'https://www.youtube.com/@Name', 'https://youtube.com/@name?si=x'],
    ['example.org', 'https://www.youtube.com/redirect?event=video&q=https%3A%2F%2Fexample.org%2F'],
  ],
  Facebook: [
    [
      'facebook.com/some.page/posts/pfbid02abc',
      'https://www.facebook.com/Some.Page/posts/pfbid02abc?__cft__[0]=AZ&__tn__=%2CO',
      'https://m.facebook.com/some.page/posts/pfbid02abc/?mibextid=1&rdid=2',
      'https://fr-fr.facebook.com/some.page/posts/a-slug/pfbid02abc',
    ],
    [
      'facebook.com/100/posts/55',
      'https://www.facebook.com/permalink.php?story_fbid=55&id=100',
      'https://m.facebook.com/story.php?id=100&story_fbid=55&sfnsn=mo',
    ],
    [
      'facebook.com/watch?v=77',
      'https://www.facebook.com/watch/?v=77&ref=sharing',
      'https://www.facebook.com/page/videos/a-slug/77/',
      'https://www.facebook.com/reel/77?fs=e&s=TIeQ9V',
    ],
    [
      'facebook.com/groups/g1/posts/9',
      'https://www.facebook.com/groups/G1/permalink/9/',
      'https://facebook.com/groups/g1?multi_permalinks=9',
    ],
    [
      'facebook.com/photo?fbid=5',
      'https://www.facebook.com/photo.php?fbid=5&set=a.1',
      'https://www.facebook.com/photo/?fbid=5',
    ],
    ['facebook.com/share/p/AbC', 'https://www.facebook.com/share/p/AbC/?mibextid=x'],
    [
      'example.org/x?id=1',
      'https://l.facebook.com/l.php?u=https%3A%2F%2Fexample.org%2Fx%3Fid%3D1%26fbclid%3D2&h=AT',
    ],
  ],
  Instagram: [
    [
      'instagram.com/p/AbC_d-1',
      'https://www.instagram.com/p/AbC_d-1/?igsh=xyz',
      'https://www.instagram.com/reel/AbC_d-1/?igshid=1',
      'https://instagram.com/Name/reel/AbC_d-1',
      'https://www.instagram.com/tv/AbC_d-1/',
    ],
    ['instagram.com/name', 'https://www.instagram.com/Name/?hl=fr'],
  ],
  'other platforms': [
    ['threads.com/t/Xy1', 'https://www.threads.net/@Name/post/Xy1?xmt=1', 'https://threads.com/t/Xy1'],
    [
      'bsky.app/profile/name.bsky.social/post/3k',
      'https://bsky.app/profile/Name.bsky.social/post/3k?ref_src=embed',
    ],
    [
      'reddit.com/comments/1abc',
      'https://old.reddit.com/r/Sub/comments/1abc/slug/?share_id=x',
      'https://redd.it/1abc',
    ],
    [
      'vk.com/wall-1_2',
      'https://m.vk.com/wall-1_2?from=x',
      'https://vk.com/feed?w=wall-1_2',
      'https://vk.ru/wall-1_2',
    ],
  ],
  Spotify: [['open.spotify.com/episode/4rO', 'https://open.spotify.com/episode/4rO?si=abc']],
  'any site': [
    [
      'example.org/a/B?id=7&page=2',
      'https://www.example.org/a/B/?page=2&id=7&utm_source=x&utm_medium=y&fbclid=z&gclid=1#top',
      'http://m.example.org:80/a/B?page=2&id=7&xtor=RSS&at_medium=social&mtm_campaign=1&_ga=2',
      'https://example.org./a/B?page=2&id=7&li_fat_id=1&msclkid=2&srsltid=3',
    ],
    ['xn--bcher-kva.example/x', 'https://BÜCHER.example/x'],
  ],
}

describe.each(Object.entries(SAME))('URLs of %s', (_, all) => {
  it.each(all.flatMap(([canonical, ...addresses]) => addresses.map(address => [address, canonical])))(
    'maps %s to %s',
    (address, canonical) => {
      expect(canonicalLink(address)).toBe(canonical)
      expect(canonicalLink(`https://${canonical}`)).toBe(canonical)
    },
  )
})

it.each([
  [`https://www.tiktok.com/@a/video/${V}`, 'https://www.tiktok.com/@a/video/7423000000000000102'],
  ['https://t.me/channel/1', 'https://t.me/channel/2'],
  ['https://t.me/+AbC', 'https://t.me/+abc'],
  ['https://www.youtube.com/watch?v=dQw4w9WgXcQ', 'https://www.youtube.com/watch?v=dqw4w9wgxcq'],
  ['https://www.instagram.com/p/AbC/', 'https://www.instagram.com/p/aBc/'],
  ['https://www.facebook.com/watch?v=1', 'https://www.facebook.com/watch?v=2'],
  ['https://example.org/?p=1', 'https://example.org/?p=2'],
  ['https://example.org/?v=1&t=2', 'https://example.org/?v=1'],
  ['https://example.org/?si=1', 'https://example.org/?si=2'],
  ['https://example.org/A', 'https://example.org/a'],
])('distinguishes %s and %s', (one, other) => {
  expect(canonicalLink(one)).not.toBe(canonicalLink(other))
})

it.each([
  ['hxxps://www[.]tiktok[.]com/@user/video/1', 'tiktok.com/@_/video/1'],
  ['hXXp://evil[.]example/a', 'evil.example/a'],
  ['hxxps[:]//evil(.)example/a', 'evil.example/a'],
  ['https[://]evil{dot}example/a', 'evil.example/a'],
  ['evil [.] example/a', 'evil.example/a'],
  ['h**ps://evil\\.example/a', 'evil.example/a'],
  ['t[.]me/Channel/5', 't.me/channel/5'],
  ['evil[.]example', 'evil.example'],
])('refangs %s', (written, canonical) => {
  expect(canonicalLinkOf(written)).toBe(canonical)
})

it('returns null for other texts and for very long URLs', () => {
  for (const none of ['', 'words', 'javascript:alert(1)', `https://example.org/${'a'.repeat(500)}`, null])
    expect(canonicalLink(none)).toBeNull()
})
