import { at, countAt, idAt, textAt, timeFrom } from '../../json/fields.js'
import type { ItemContext, ItemResult } from '../../json/read.js'
import { postRecord } from '../../records/of-draft.js'
import { addressOf } from '../../text/addresses.js'

/* Posts of LinkedIn and Facebook. */

/** Reads a post of LinkedIn, which states its age only. */
export const readLinkedin = (item: unknown, context: ItemContext): ItemResult => {
  const urn = textAt(item, 'updateMetadata', 'urn')
  const [, id] = /^urn:li:(?:activity|share|ugcPost):(\d+)$/.exec(urn ?? '') ?? []
  if (!id) return { skipped: 'not-a-post' }
  const actor = at(item, 'actor')
  const page = textAt(actor, 'navigationContext', 'actionTarget')?.replace(/[?#].*$/s, '')
  const handle = /linkedin\.com\/([^?#]+?)\/?$/.exec(page ?? '')?.[1]
  const age = textAt(actor, 'subDescription', 'text')
  const counts = at(item, '*socialDetail', '*totalSocialActivityCounts')
  const record = postRecord(
    {
      platform: 'linkedin',
      id,
      type: 'post',
      url: `https://www.linkedin.com/feed/update/${urn}`,
      text: textAt(item, 'commentary', 'text', 'text'),
      author: {
        handle,
        name: textAt(actor, 'name', 'text'),
        url: page,
        description: textAt(actor, 'description', 'text'),
      },
      metrics: {
        comments: countAt(counts, 'numComments'),
        shares: countAt(counts, 'numShares'),
        reactions: countAt(counts, 'numLikes'),
      },
    },
    context.origin,
  )
  return { ...record, ...(age && { also: { ...record.also, posted_about: age } }) }
}

/** Reads a post of Facebook. Its key is the last part of its address. */
export const readFacebook = (item: unknown, context: ItemContext): ItemResult => {
  const sections = at(item, 'comet_sections')
  const story = at(sections, 'content', 'story')
  const url = textAt(story, 'wwwURL')
  const address = url === undefined ? undefined : addressOf(url)
  const id = (address && 'platform' in address ? address.id : undefined) ?? idAt(story, 'post_id')
  if (!id) return { skipped: story === undefined ? 'not-a-post' : 'no-id' }
  const actor = at(story, 'actors', 0)
  return postRecord(
    {
      platform: 'facebook',
      id,
      type: 'post',
      url,
      text: textAt(story, 'message', 'text'),
      published_at: timeFrom(
        at(sections, 'timestamp', 'story', 'creation_time') ?? at(story, 'creation_time'),
        context,
      ),
      author: { id: idAt(actor, 'id'), name: textAt(actor, 'name'), url: textAt(actor, 'url') },
    },
    context.origin,
  )
}
