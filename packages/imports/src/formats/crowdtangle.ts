import { parseUrl } from '@iodine/contracts'
import type { Draft } from '../records/draft.js'
import { postRecord } from '../records/of-draft.js'
import type { Cells } from '../tables/cells.js'
import { draftOf, type FieldTable } from '../tables/fields.js'
import type { RowContext, RowResult, TableFormat } from '../tables/table.js'
import { addressOf } from '../text/addresses.js'
import { mentionsIn } from '../text/found.js'

/** Columns of CrowdTangle's exports of Facebook. Before April 2021, `Created` was the posting time. */
const FACEBOOK: FieldTable = {
  title: 'Link Text',
  text: 'Message',
  published_at: ['Post Created', 'Created'],
  'metrics.likes': 'Likes',
  'metrics.comments': 'Comments',
  'metrics.shares': 'Shares',
  'metrics.love': 'Love',
  'metrics.wow': 'Wow',
  'metrics.haha': 'Haha',
  'metrics.sad': 'Sad',
  'metrics.angry': 'Angry',
  'metrics.care': 'Care',
  'metrics.interactions': 'Total Interactions',
}

/** The page that posted: in a group, the columns describe the group instead. */
const PAGE: FieldTable = {
  'author.id': 'Facebook Id',
  'author.handle': 'User Name',
  'author.name': 'Page Name',
  'author.description': 'Page Description',
  'author.followers': 'Followers at Posting',
}

const INSTAGRAM: FieldTable = {
  title: 'Title',
  text: 'Description',
  published_at: ['Post Created', 'Created'],
  'author.handle': 'User Name',
  'author.name': 'Account',
  'author.followers': 'Followers at Posting',
  images: 'Photo',
  'metrics.likes': 'Likes',
  'metrics.comments': 'Comments',
  'metrics.views': 'Views',
  'metrics.interactions': 'Total Interactions',
}

/** Returns the last part of a post's URL, by which it is found. */
const lastPart = (url: string): string | undefined =>
  parseUrl(url)?.pathname.split('/').filter(Boolean).at(-1)

/** Returns the post of another page that a post's link shares, or the link to an article. */
const linkOf = (cells: Cells, owners: readonly (string | undefined)[]): Partial<Draft> => {
  const written = cells.get('Final Link', 'Link')
  const address = written === undefined ? undefined : addressOf(written)
  if (!written || !address) return {}
  const isOnFacebook = /^https?:\/\/(?:[\w-]+\.)?(?:facebook\.com|fb\.watch)\//i.test(written)
  if (!isOnFacebook) return { links: [written] }
  if (!('id' in address)) return {}
  const { pathname, searchParams } = new URL(written)
  const [, page] = /^\/([^/]+)\/(?:posts|videos|photos)\//.exec(pathname) ?? []
  const owner = page ?? (/^\/(?:permalink|story)\.php$/.test(pathname) ? searchParams.get('id') : undefined)
  // A picture's page does not name its owner.
  if (!owner) return {}
  const isOwn = owners.some(each => each !== undefined && each.toLowerCase() === owner.toLowerCase())
  const url = 'url' in address ? address.url : undefined
  return isOwn ? {} : { relations: { repost_of: { id: address.id, url } } }
}

const readFacebook = (cells: Cells, { origin, warnings }: RowContext): RowResult => {
  const url = cells.get('URL')
  const address = url === undefined ? undefined : addressOf(url)
  const id = address && 'id' in address ? address.id : url && lastPart(url)
  if (!url || !id) return { skipped: 'no-id' }
  const draft = draftOf(cells, FACEBOOK, {}, warnings)
  const group = cells.text('Group Name')
  const page = group === undefined ? (draftOf(cells, PAGE, {}, warnings).author ?? {}) : undefined
  const name = page?.handle ?? page?.id
  // 0 stands for no count.
  const views =
    Number(cells.get('Post Views') ?? 0) === 0
      ? {}
      : draftOf(cells, { 'metrics.views': 'Post Views' }, {}, warnings)
  const link = linkOf(cells, [page?.handle, page?.id, cells.get('Facebook Id')])
  return postRecord(
    {
      ...draft,
      ...link,
      platform: 'facebook',
      id,
      url,
      type: 'post',
      ...(page && { author: { ...page, url: name && `https://www.facebook.com/${name}` } }),
      ...(group !== undefined && { within: { type: 'group', id: cells.get('Facebook Id'), name: group } }),
      metrics: { ...draft.metrics, ...views.metrics },
    },
    origin,
  )
}

const readInstagram = (cells: Cells, { origin, warnings }: RowContext): RowResult => {
  const url = cells.get('URL')
  const address = url === undefined ? undefined : addressOf(url)
  const id = address && 'platform' in address && address.platform === 'instagram' ? address.id : undefined
  if (!id) return { skipped: 'no-id' }
  const draft = draftOf(cells, INSTAGRAM, {}, warnings)
  const handle = draft.author?.handle
  return postRecord(
    {
      ...draft,
      platform: 'instagram',
      id,
      url: `https://www.instagram.com/p/${id}/`,
      mentions: mentionsIn(draft.text ?? ''),
      author: { ...draft.author, url: handle && `https://www.instagram.com/${handle}/` },
    },
    origin,
  )
}

/** CrowdTangle's exports of Facebook pages and groups, and of Instagram. Times without a known zone are left out. */
export const crowdtangle: TableFormat = {
  by: 'crowdtangle',
  hasHeader: header =>
    ['Total Interactions', 'URL', 'Likes', 'Comments'].every(name => header.has(name)) &&
    ['Page Name', 'Group Name', 'Account'].some(name => header.has(name)),
  read: (cells, context) =>
    cells.has('Account') ? readInstagram(cells, context) : readFacebook(cells, context),
}
