import { at, countAt, firstText, idAt, listAt, textAt, timeFrom } from '../json/fields.js'
import type { ItemContext, ItemResult, JsonFormat } from '../json/read.js'
import type { Draft } from '../records/draft.js'
import { postRecord } from '../records/of-draft.js'
import { absoluteUrl, htmlContent } from '../text/html.js'

/* Statuses of Mastodon's API (mastodon/documentation, entities/Status), and outboxes of its archives. */

const hostOf = (url: string | undefined): string | undefined => {
  const absolute = absoluteUrl(url)
  return absolute && new URL(absolute).host
}

/** Returns a handle with its host. */
const handleOf = (account: unknown): string | undefined => {
  const name = firstText(account, 'acct', 'username')
  const host = hostOf(textAt(account, 'url'))
  return name === undefined || name.includes('@') || host === undefined ? name : `${name}@${host}`
}

/** Links of mentions and hashtags lead to lists of the server. */
const OWN_LINK = /<a\b[^>]*\bclass=(["'])[^"']*\b(?:mention|hashtag)\b[^"']*\1[^>]*>/gi

/** Returns text and links of a status. */
const contentOf = (html: string | undefined, warning: string | undefined) => {
  const { text } = htmlContent(html ?? '')
  const { links } = htmlContent((html ?? '').replace(OWN_LINK, '<a>'))
  return { text: [warning, text].filter(Boolean).join('\n\n'), links }
}

/** Returns the fields of an account. */
export const accountOf = (account: unknown, handle: string | undefined): Draft['author'] => {
  const note = textAt(account, 'note')
  return {
    id: idAt(account, 'id'),
    handle,
    name: textAt(account, 'display_name'),
    url: textAt(account, 'url'),
    description: note && htmlContent(note).text,
    followers: countAt(account, 'followers_count'),
    following: countAt(account, 'following_count'),
    posts: countAt(account, 'statuses_count'),
  }
}

const TYPES: Record<string, string> = {
  image: 'image',
  video: 'video',
  tv: 'video',
  gifv: 'gif',
  audio: 'audio',
}
export const statusMedia = (status: unknown) =>
  listAt(status, 'media_attachments').map(medium => ({
    type: TYPES[textAt(medium, 'type') ?? ''] ?? 'document',
    url: firstText(medium, 'remote_url', 'url'),
    alt: textAt(medium, 'description'),
  }))

export const statusCounts = (status: unknown) => ({
  comments: countAt(status, 'replies_count'),
  shares: countAt(status, 'reblogs_count'),
  likes: countAt(status, 'favourites_count'),
  quotes: countAt(status, 'quotes_count'),
})

const referenceTo = (status: unknown) => ({
  id: textAt(status, 'uri'),
  url: textAt(status, 'url'),
  author: handleOf(at(status, 'account')),
})

/** Returns the account that a status answers, if the status mentions it. The status itself has no public key. */
const answeredBy = (status: unknown): string | undefined => {
  const id = idAt(status, 'in_reply_to_account_id')
  return handleOf(listAt(status, 'mentions').find(mention => id !== undefined && idAt(mention, 'id') === id))
}

const isPublic = (status: unknown) => !/^(?:private|direct)$/.test(textAt(status, 'visibility') ?? '')

const readStatus = (status: unknown, context: ItemContext): ItemResult => {
  const id = textAt(status, 'uri')
  if (!id) return { skipped: 'no-id' }
  const original = at(status, 'reblog')
  if (!isPublic(status) || !isPublic(original)) return { skipped: 'not-public' }
  const content = original ?? status
  const quoted = at(content, 'quote', 'quoted_status')
  const answered = answeredBy(status)
  return postRecord(
    {
      platform: 'mastodon',
      id,
      type: original ? 'repost' : 'post',
      url: textAt(status, 'url'),
      ...contentOf(textAt(content, 'content'), textAt(content, 'spoiler_text')),
      language: textAt(content, 'language'),
      published_at: timeFrom(at(status, 'created_at'), context),
      edited_at: timeFrom(at(content, 'edited_at'), context),
      author: accountOf(at(status, 'account'), handleOf(at(status, 'account'))),
      relations: {
        ...(answered && { in_reply_to: { author: answered } }),
        ...(quoted !== undefined && { quote_of: referenceTo(quoted) }),
        ...(original !== undefined && { repost_of: referenceTo(original) }),
      },
      hashtags: listAt(content, 'tags').flatMap(tag => textAt(tag, 'name') ?? []),
      mentions: listAt(content, 'mentions').flatMap(mention => handleOf(mention) ?? []),
      media: statusMedia(content),
      metrics: statusCounts(content),
    },
    context.origin,
  )
}

export const mastodon: JsonFormat = { by: 'mastodon', lists: ['$.statuses.*'], read: readStatus }

const PUBLIC = /^(?:https:\/\/www\.w3\.org\/ns\/activitystreams#|as:)?Public$/
/** Returns the values of a property, which may be one or a list. */
const valuesOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value]

const isAddressedToAll = (activity: unknown) =>
  ['to', 'cc'].some(key => valuesOf(at(activity, key)).some(to => typeof to === 'string' && PUBLIC.test(to)))

const actorOf = (actor: unknown): Draft['author'] => {
  const url = typeof actor === 'string' ? actor : textAt(actor, 'id')
  const name = /\/(?:users\/|@)([^/]+)\/?$/.exec(url ?? '')?.[1] ?? textAt(actor, 'preferredUsername')
  const host = hostOf(url)
  return { url, handle: name && host && `${name}@${host}` }
}

const MEDIA = /^(image|video|audio)\//
const noteOf = (note: unknown, activity: unknown, context: ItemContext): Draft => {
  const contents = at(note, 'contentMap')
  const languages = typeof contents === 'object' && contents !== null ? Object.keys(contents) : []
  const tags = (type: string) =>
    valuesOf(at(note, 'tag')).flatMap(tag =>
      textAt(tag, 'type') === type ? (textAt(tag, 'name') ?? []) : [],
    )
  const answered = textAt(note, 'inReplyTo')
  const quoted = firstText(note, 'quote', 'quoteUrl', 'quoteUri', '_misskey_quote')
  const edited = timeFrom(at(note, 'updated'), context)
  const host = hostOf(actorOf(at(activity, 'actor'))?.url)
  return {
    url: textAt(note, 'url') ?? textAt(note, 'id'),
    title: textAt(note, 'name'),
    ...contentOf(textAt(note, 'content'), textAt(note, 'summary')),
    language: languages.length === 1 ? languages[0] : undefined,
    published_at: timeFrom(at(note, 'published') ?? at(activity, 'published'), context),
    edited_at: edited,
    relations: {
      ...(answered && { in_reply_to: { id: answered, url: answered } }),
      ...(quoted && { quote_of: { id: quoted, url: quoted } }),
    },
    hashtags: tags('Hashtag'),
    mentions: tags('Mention').map(name => (/.@/.test(name) || !host ? name : `${name}@${host}`)),
    media: valuesOf(at(note, 'attachment')).map(medium => ({
      type: MEDIA.exec(textAt(medium, 'mediaType') ?? '')?.[1] ?? 'document',
      url: textAt(medium, 'url'),
      alt: textAt(medium, 'name'),
    })),
  }
}

const readActivity = (activity: unknown, context: ItemContext): ItemResult => {
  const type = textAt(activity, 'type')
  const object = at(activity, 'object')
  const author = actorOf(at(activity, 'actor'))
  if (type === 'Create') {
    if (typeof object !== 'object') return { skipped: 'no-content' }
    if (!/^(?:Note|Article|Question|Page|Video|Image|Audio|Event)$/.test(textAt(object, 'type') ?? ''))
      return { skipped: 'not-a-post' }
    if (!isAddressedToAll(activity) && !isAddressedToAll(object)) return { skipped: 'not-public' }
    const id = textAt(object, 'id')
    if (!id) return { skipped: 'no-id' }
    return postRecord(
      { platform: 'mastodon', id, author, ...noteOf(object, activity, context) },
      context.origin,
    )
  }
  if (type !== 'Announce') return { skipped: type === 'Delete' ? 'deletion' : 'not-a-post' }
  const [id, original] = [textAt(activity, 'id'), typeof object === 'string' ? object : textAt(object, 'id')]
  if (!id) return { skipped: 'no-id' }
  const isAddressed = at(activity, 'to') !== undefined || at(activity, 'cc') !== undefined
  if (isAddressed && !isAddressedToAll(activity)) return { skipped: 'not-public' }
  return postRecord(
    {
      platform: 'mastodon',
      id,
      type: 'repost',
      url: original,
      published_at: timeFrom(at(activity, 'published'), context),
      author,
      ...(original && { relations: { repost_of: { id: original, url: original } } }),
    },
    context.origin,
  )
}

export const activitypub: JsonFormat = { by: 'activitypub', lists: ['$.orderedItems.*'], read: readActivity }
