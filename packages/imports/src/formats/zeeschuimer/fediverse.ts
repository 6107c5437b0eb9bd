import { at, countAt, firstText, flagAt, idAt, listAt, textAt, timeFrom } from '../../json/fields.js'
import type { ItemContext, ItemResult } from '../../json/read.js'
import type { Draft } from '../../records/draft.js'
import { postRecord } from '../../records/of-draft.js'
import { linksIn } from '../../text/found.js'
import { htmlText } from '../../text/html.js'
import { accountOf, statusCounts, statusMedia } from '../mastodon.js'

/* Posts of Truth Social and Gab, which have Mastodon's statuses. Their ids are unique, as they do not federate. */

/** Returns a text without tags. A text without any tag is kept as it is: Zeeschuimer strips them itself. */
const plain = (html: string | undefined) => (html !== undefined && /<\w/.test(html) ? htmlText(html) : html)

const withinOf = (group: unknown): Draft['within'] | undefined =>
  typeof group === 'object' && group !== null
    ? {
        type: 'group',
        id: idAt(group, 'id'),
        name: firstText(group, 'title', 'display_name', 'name'),
        url: textAt(group, 'url'),
      }
    : undefined

const referenceTo = (id: string | undefined, status?: unknown) => {
  if (id === undefined) return undefined
  return { id, url: textAt(status, 'url'), author: firstText(at(status, 'account'), 'acct', 'username') }
}

const draftOfStatus = (status: unknown, platform: string, id: string, context: ItemContext): Draft => {
  const original = at(status, 'reblog')
  const content = original ?? status
  const account = at(status, 'account')
  const card = textAt(content, 'card', 'url')
  const text = plain(textAt(content, 'content'))
  const answered = referenceTo(idAt(status, 'in_reply_to_id'), at(status, 'in_reply_to'))
  const quoted = referenceTo(idAt(content, 'quote_id') ?? idAt(content, 'quote_of_id'), at(content, 'quote'))
  const reposted = original === undefined ? undefined : referenceTo(idAt(original, 'id'), original)
  const within = withinOf(at(status, 'group'))
  return {
    platform,
    id,
    type: original ? 'repost' : 'post',
    url: firstText(status, 'url', 'uri'),
    text,
    language: textAt(content, 'language'),
    published_at: timeFrom(at(status, 'created_at'), context),
    edited_at: timeFrom(at(content, 'edited_at'), context),
    author: {
      ...accountOf(account, firstText(account, 'acct', 'username')),
      verified: flagAt(account, 'verified'),
    },
    ...(within && { within }),
    relations: {
      ...(answered && { in_reply_to: answered }),
      ...(quoted && { quote_of: quoted }),
      ...(reposted && { repost_of: reposted }),
    },
    hashtags: listAt(content, 'tags').flatMap(tag => textAt(tag, 'name') ?? []),
    mentions: listAt(content, 'mentions').flatMap(mention => firstText(mention, 'acct', 'username') ?? []),
    ...(card && { links: [...linksIn(text ?? ''), card] }),
    media: statusMedia(content),
    metrics: statusCounts(content),
  }
}

export const readTruth = (status: unknown, context: ItemContext): ItemResult => {
  const id = idAt(status, 'id')
  if (!id) return { skipped: at(status, 'id') === undefined ? 'no-id' : 'rounded-id' }
  return postRecord(draftOfStatus(status, 'truthsocial', id, context), context.origin)
}

const gabMedium = (medium: unknown) => {
  const isVideo = textAt(medium, 't') === 'video'
  return {
    type: isVideo ? 'video' : textAt(medium, 't') === 'gifv' ? 'gif' : 'image',
    url: (isVideo ? firstText(medium, 'smp4', 'u') : undefined) ?? firstText(medium, 'u', 'url'),
  }
}

/** Reads a post of Gab with short keys. */
const draftOfShort = (post: unknown, id: string, context: ItemContext): Draft => {
  const author = at(post, 'author_info')
  const note = textAt(author, 'nt')
  const link = textAt(post, 'link_info', 'url')
  const within = withinOf(at(post, 'group_info') ?? at(post, 'group') ?? at(post, 'g'))
  return {
    platform: 'gab',
    id,
    type: 'post',
    url: textAt(post, 'ul'),
    text: plain(textAt(post, 'c')),
    language: textAt(post, 'l'),
    published_at: timeFrom(at(post, 'ca'), context),
    author: {
      id: idAt(author, 'i') ?? idAt(post, 'ai'),
      handle: firstText(author, 'un', 'ac'),
      name: textAt(author, 'dn'),
      description: note && htmlText(note),
    },
    ...(within && { within }),
    hashtags: listAt(post, 'tg').flatMap(tag => textAt(tag, 'name') ?? []),
    mentions: listAt(post, 'm').flatMap(mention => firstText(mention, 'username', 'acct') ?? []),
    ...(link && { links: [link] }),
    media: listAt(post, 'image_info').map(gabMedium),
    metrics: { likes: countAt(post, 'fbc'), shares: countAt(post, 'rbc'), comments: countAt(post, 'rc') },
  }
}

export const readGab = (post: unknown, context: ItemContext): ItemResult => {
  const id = idAt(post, 'i') ?? idAt(post, 'id')
  if (!id) return { skipped: at(post, 'id') === undefined ? 'no-id' : 'rounded-id' }
  const isStatus = at(post, 'account') !== undefined || at(post, 'content') !== undefined
  const draft = isStatus ? draftOfStatus(post, 'gab', id, context) : draftOfShort(post, id, context)
  return postRecord(draft, context.origin)
}
