import { describe, expect, it } from 'vitest'
import { addressOf, platformOf, telegramUrl } from '../src/text/addresses.js'

const VIDEO = '7572027344082567891'
const POST = '1988800000000000101'
const post = (platform: string, id: string, url: string, more = {}) => ({
  source: 'post',
  platform,
  id,
  type: 'post',
  url,
  ...more,
})
const onX = post('x', POST, `https://x.com/lantern_exmpl/status/${POST}`, { handle: 'lantern_exmpl' })
const channel = (username: string, url: string) => ({ source: 'telegram', id: '12', username, url })

describe('addressOf', () => {
  it.each<[string, object]>([
    [
      `https://www.tiktok.com/@a.b/video/${VIDEO}?is_from_webapp=1`,
      { source: 'tiktok', id: VIDEO, handle: 'a.b' },
    ],
    [`https://www.tiktok.com/@a.b/photo/${VIDEO}`, { source: 'tiktok', id: VIDEO, handle: 'a.b' }],
    [`https://m.tiktok.com/v/${VIDEO}.html`, { source: 'tiktok', id: VIDEO }],
    [`https://www.tiktokv.com/share/video/${VIDEO}/`, { source: 'tiktok', id: VIDEO }],
    [`https://www.tiktok.com/@/video/${VIDEO}/`, { source: 'tiktok', id: VIDEO }],
    ['https://t.me/lanternay_example/12', channel('lanternay_example', 'https://t.me/lanternay_example/12')],
    [
      'http://telegram.me/s/Lanternay_Example/12?single',
      channel('Lanternay_Example', 'https://t.me/lanternay_example/12'),
    ],
    [
      'https://t.me/lanternay_example/7/12',
      channel('lanternay_example', 'https://t.me/lanternay_example/12'),
    ],
    [
      'tg://resolve?domain=lanternay_example&post=12',
      channel('lanternay_example', 'https://t.me/lanternay_example/12'),
    ],
    ['https://t.me/c/1500000009/7', { source: 'telegram', id: '7', url: 'https://t.me/c/1500000009/7' }],
    [`https://mobile.twitter.com/lantern_exmpl/status/${POST}?s=20`, onX],
    [`hxxps://x[.]com/lantern_exmpl/status/${POST}/photo/1`, onX],
    [`x.com/i/web/status/${POST}`, post('x', POST, `https://x.com/i/web/status/${POST}`)],
    [
      'https://youtu.be/exAMPLvid01?t=3',
      post('youtube', 'exAMPLvid01', 'https://www.youtube.com/watch?v=exAMPLvid01', { type: 'video' }),
    ],
    [
      'https://m.youtube.com/live/exAMPLvid01',
      post('youtube', 'exAMPLvid01', 'https://www.youtube.com/watch?v=exAMPLvid01', { type: 'video' }),
    ],
    [
      'https://www.youtube.com/watch?v=exAMPLvid01&lc=UgxE',
      post('youtube', 'UgxE', 'https://www.youtube.com/watch?v=exAMPLvid01&lc=UgxE', { type: 'comment' }),
    ],
    [
      'https://www.instagram.com/lantern.example/reel/CHexAMPL1_a/',
      post('instagram', 'CHexAMPL1_a', 'https://www.instagram.com/p/CHexAMPL1_a/', {
        handle: 'lantern.example',
      }),
    ],
    [
      'https://www.threads.net/@lantern.example/post/DQth1',
      post('threads', 'DQth1', 'https://www.threads.com/@lantern.example/post/DQth1', {
        handle: 'lantern.example',
      }),
    ],
    [
      'https://m.facebook.com/lanternpage.example/posts/1000000000000011',
      post(
        'facebook',
        '1000000000000011',
        'https://www.facebook.com/lanternpage.example/posts/1000000000000011',
      ),
    ],
    [
      'https://mbasic.facebook.com/groups/9/permalink/11/',
      post('facebook', '11', 'https://www.facebook.com/groups/9/permalink/11/'),
    ],
    [
      'https://www.linkedin.com/posts/a-b_words-activity-7394000000000000001-xYz',
      post(
        'linkedin',
        '7394000000000000001',
        'https://www.linkedin.com/feed/update/urn:li:activity:7394000000000000001',
      ),
    ],
    [
      'https://bsky.app/profile/did:plc:abc/post/3m5',
      post(
        'bluesky',
        'at://did:plc:abc/app.bsky.feed.post/3m5',
        'https://bsky.app/profile/did:plc:abc/post/3m5',
      ),
    ],
    [
      'at://did:plc:abc/app.bsky.feed.post/3m5',
      post(
        'bluesky',
        'at://did:plc:abc/app.bsky.feed.post/3m5',
        'https://bsky.app/profile/did:plc:abc/post/3m5',
      ),
    ],
    [
      'https://old.reddit.com/r/x/comments/1exmpl/words/',
      post('reddit', 't3_1exmpl', 'https://www.reddit.com/r/x/comments/1exmpl/words/'),
    ],
    ['https://vk.com/wall-1500_77', post('vk', '-1500_77', 'https://vk.com/wall-1500_77')],
    [
      'https://social.example/@lantern/115500000000000001',
      post(
        'mastodon',
        'https://social.example/users/lantern/statuses/115500000000000001',
        'https://social.example/@lantern/115500000000000001',
        { handle: 'lantern@social.example' },
      ),
    ],
    [
      'https://Blog.example.org/gauge?utm_source=x&id=7#part',
      { source: 'blog', url: 'https://blog.example.org/gauge?id=7' },
    ],
    [
      `https://l.facebook.com/l.php?u=${encodeURIComponent('https://www.blog.example.org/a')}&h=1`,
      { source: 'blog', url: 'https://www.blog.example.org/a' },
    ],
  ])('reads %s', (written, expected) => {
    expect(addressOf(written)).toEqual(expected)
  })

  it.each<[string, string]>([
    ['https://vm.tiktok.com/ZM1/', 'short-address'],
    ['https://www.tiktok.com/t/ZM1/', 'short-address'],
    ['https://t.co/abc', 'short-address'],
    ['https://bit.ly/abc', 'short-address'],
    ['https://t.me/+AbCdEf', 'not-a-post'],
    ['https://t.me/joinchat/AbCdEf', 'not-a-post'],
    ['https://t.me/lanternay_example', 'not-a-post'],
    ['https://t.me/s/lanternay_example', 'not-a-post'],
    ['https://t.me/lanternay_example/s/12', 'not-a-post'],
    ['https://x.com/lantern_exmpl', 'not-a-post'],
    ['https://www.youtube.com/@lantern', 'not-a-post'],
    ['https://user:secret@blog.example.org/a', 'no-address'],
    ['user@blog.example.org', 'no-address'],
    ['javascript:alert(1)', 'no-address'],
    ['file:///etc/passwd', 'no-address'],
    ['words', 'no-address'],
    ['', 'no-address'],
    [`https://blog.example.org/${'a'.repeat(2_000)}`, 'no-address'],
  ])('gives no record for %s', (written, skipped) => {
    expect(addressOf(written)).toEqual({ skipped })
  })
})

it.each([
  ['Twitter', 'x'],
  ['twitter.com', 'x'],
  ['x.com', 'x'],
  ['VK', 'vk'],
  ['rednote', 'xiaohongshu'],
  ['9gag.com', '9gag'],
  ['TikTok', 'tiktok'],
  ['', undefined],
  ['a/b', undefined],
])('names the platform %s %s', (written, name) => {
  expect(platformOf(written)).toBe(name)
})

it('names a channel by its name in lower case, or by its bare number', () => {
  expect(telegramUrl('@Lanternay_Example', '12')).toBe('https://t.me/lanternay_example/12')
  expect(telegramUrl('-1001500000009', '7')).toBe('https://t.me/c/1500000009/7')
})
