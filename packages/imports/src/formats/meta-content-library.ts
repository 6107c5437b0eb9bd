import { postRecord } from '../records/of-draft.js'
import { draftOf, type FieldTable } from '../tables/fields.js'
import type { TableFormat } from '../tables/table.js'
import { mentionsIn } from '../text/found.js'
import { exactId } from '../text/ids.js'

/** Columns of the Meta Content Library's data dictionary. `modified_time` is no edit of the text. */
const FIELDS: FieldTable = {
  url: 'mcl_url',
  title: ['link_attachment.name', 'title'],
  text: 'text',
  language: 'lang',
  published_at: 'creation_time',
  'author.id': 'post_owner.id',
  'author.handle': 'post_owner.username',
  'author.name': 'post_owner.name',
  'within.type': 'surface.type',
  'within.id': 'surface.id',
  'within.name': 'surface.name',
  hashtags: 'hashtags',
  links: 'link_attachment.link',
  'metrics.likes': 'statistics.like_count',
  'metrics.comments': 'statistics.comment_count',
  'metrics.shares': 'statistics.share_count',
  'metrics.views': 'statistics.views',
  'metrics.reactions': 'statistics.reaction_count',
  'metrics.love': 'statistics.love_count',
  'metrics.wow': 'statistics.wow_count',
  'metrics.haha': 'statistics.haha_count',
  'metrics.sad': 'statistics.sad_count',
  'metrics.angry': 'statistics.angry_count',
  'metrics.care': 'statistics.care_count',
}

const PROFILES: Record<string, (handle: string) => string> = {
  facebook: handle => `https://www.facebook.com/${handle}`,
  instagram: handle => `https://www.instagram.com/${handle}/`,
  threads: handle => `https://www.threads.com/@${handle}`,
}

/** The library's own ids match no address: they are marked. Undefined for one that a spreadsheet rounded. */
const marked = (written: string | undefined): string | undefined => {
  const id = written === undefined ? undefined : exactId(written)
  return id && `mcl:${id}`
}

const platformOfRow = (url: string | undefined, isInstagram: boolean): string => {
  if (/^https?:\/\/(?:www\.)?threads\.(?:com|net)\//i.test(url ?? '')) return 'threads'
  return isInstagram || /^https?:\/\/(?:www\.)?instagram\.com\//i.test(url ?? '') ? 'instagram' : 'facebook'
}

/** Exports of the Meta Content Library: Facebook, Instagram and Threads. */
export const metaContentLibrary: TableFormat = {
  by: 'meta-content-library',
  hasHeader: header =>
    header.has('id') && header.has('creation_time') && (header.has('mcl_url') || header.has('post_owner.id')),
  read(cells, { origin, warnings }) {
    const written = cells.get('id')
    const linked = /[?&]id=(\d+)/.exec(cells.get('mcl_url') ?? '')?.[1]
    const id = marked(linked) ?? marked(written)
    if (!id) return { skipped: written ? 'rounded-id' : 'no-id' }
    const { author = {}, within, ...draft } = draftOf(cells, FIELDS, { zone: 'UTC' }, warnings)
    const isInstagram = cells.has('media_type') && !cells.has('statistics.love_count')
    const platform = platformOfRow(draft.url, isInstagram)
    if (author.id && !marked(author.id)) warnings.add('rounded-id')
    const repost = marked(cells.get('shared_post_id'))
    const place = { ...within, id: marked(within?.id) }
    return postRecord(
      {
        ...draft,
        platform,
        id,
        ...(platform === 'instagram' && { mentions: mentionsIn(draft.text ?? '') }),
        author: {
          ...author,
          id: marked(author.id),
          url: author.handle && PROFILES[platform]?.(author.handle),
        },
        // A post on the owner's own page stands in no other place.
        ...(within && within.id !== author.id && { within: place }),
        ...(repost && { relations: { repost_of: { id: repost } } }),
      },
      origin,
    )
  },
}
