import { LIMITS, type TelegramRecord } from '@iodine/contracts'
import { contextOf, linksIn, mediaOf, timeOf } from './context'
import { addressOf, type Found, filled, type PageState, textOf, urlOf } from './read'

/** Elements of a post that quote another one. */
const NOT_OF_THE_POST =
  '.tgme_widget_message_user_photo, .tgme_widget_message_reply, .tgme_widget_message_link_preview'
const ATTACHMENTS = [
  'a.tgme_widget_message_photo_wrap',
  'video[src]',
  '.tgme_widget_message_document_title',
].join(', ')
const ATTACHMENTS_MAX = 1_000

export const isTelegramHost = (host: string): boolean => host === 't.me' || host === 'telegram.me'

/** The elements of a channel's posts, in the page's order. */
export const telegramPosts = (document: Document): Element[] => [
  ...document.querySelectorAll('.tgme_widget_message[data-post]:not(.service_message)'),
]

/** The elements of the posts that were read. */
const elements = new WeakMap<TelegramRecord, Element>()

/** The element that shows a post which was read from a page. */
export const elementOf = (record: TelegramRecord): Element | undefined => elements.get(record)

/** The posts of a channel's public preview, in the page's order. */
export const readTelegramPage = (page: PageState): Found<TelegramRecord> => {
  const { document, url } = page
  const all = new Map<string, TelegramRecord>()
  for (const post of telegramPosts(document)) {
    const record = readTelegramPost(post, page)
    if (record) all.set(record.telegram.post.url, record)
  }
  // `/s/channel/12` and `/channel/12` are about post 12.
  const [, channel, number] = /^\/(?:s\/)?(\w+)\/(\d+)\/?$/.exec(urlOf(url)?.pathname ?? '') ?? []
  const own = [...all.values()].find(
    ({ telegram }) =>
      telegram.post.id === number && telegram.channel?.username?.toLowerCase() === channel?.toLowerCase(),
  )
  return { own: number ? own : undefined, all: [...all.values()] }
}

/** A post; undefined if it has no address. */
export const readTelegramPost = (
  post: Element,
  { document, url: base, time }: PageState,
): TelegramRecord | undefined => {
  const title = '.tgme_channel_info_header_title'
  const header = {
    title: textIn(document, `${title} span`) ?? textIn(document, title),
    username: textIn(document, '.tgme_channel_info_header_username')?.replace(/^@/, ''),
  }
  const [, username, id] = /^([^/]+)\/(\d+)$/.exec(post.getAttribute('data-post') ?? '') ?? []
  const linked = addressOf(post.querySelector('a.tgme_widget_message_date[href]')?.getAttribute('href'), base)
  // The platform's address of a post is its `data-post` below the host.
  const url = linked ?? (username && id ? addressOf(`https://t.me/${username}/${id}`, base) : undefined)
  if (!url) return undefined
  const attachments = attachmentsOf(post, base)
  const message = messageOf(post)
  const ownerName = textIn(post, '.tgme_widget_message_owner_name')
  const record: TelegramRecord = {
    collector_metadata: { fetch_timestamp: time, source: 'telegram' },
    telegram: {
      channel: filled({
        username: textOf(username) ?? header.username,
        title: header.title ?? ownerName,
        platform: 'telegram',
      }),
      post: {
        ...filled({
          id: textOf(id),
          author: ownerName ?? textIn(post, '.tgme_widget_message_from_author'),
          description: textOf(message && linesOf(message).trim()),
        }),
        url,
      },
      ...(attachments.length > 0 && { attachments }),
    },
    ...contextOf({
      posted_at: timeOf(timeIn(post)),
      edited: [...post.querySelectorAll('.tgme_widget_message_meta')].some(isMarkedEdited) || undefined,
      forwarded_from: filled({
        name: textIn(post, FORWARDED),
        url: addressOf(ownIn(post, FORWARDED)?.closest('a[href]')?.getAttribute('href'), base),
      }),
      links: linksOf(message, post, base),
      media: mediaOf(
        attachments.flatMap(({ type, url: image }) => (type === 'image' && image ? [image] : [])),
      ),
    }),
  }
  elements.set(record, post)
  return record
}

const PREVIEW = 'a.tgme_widget_message_link_preview[href]'

/** The links in a post's text, and that of its preview. */
const linksOf = (message: Element | undefined, post: Element, base: string): string[] | undefined => {
  const shown = addressOf(post.querySelector(PREVIEW)?.getAttribute('href'), base)
  const links = [...((message && linksIn(message, base)) ?? []), ...(shown ? [shown] : [])]
  return links.length > 0 ? [...new Set(links)].slice(0, LIMITS.contextLinksMax) : undefined
}

const FORWARDED = '.tgme_widget_message_forwarded_from_name'

const timeIn = (post: Element): string | null | undefined =>
  ownIn(post, '.tgme_widget_message_date time[datetime]')?.getAttribute('datetime')

const isMarkedEdited = (meta: Element): boolean => isOwn(meta) && /\bedited\b/i.test(meta.textContent ?? '')

const isOwn = (element: Element): boolean => element.closest(NOT_OF_THE_POST) === null

const ownIn = (parent: ParentNode, selector: string): Element | undefined =>
  [...parent.querySelectorAll(selector)].find(isOwn)

const textIn = (parent: ParentNode, selector: string): string | undefined =>
  textOf(ownIn(parent, selector)?.textContent?.trim())

const messageOf = (post: Element): Element | undefined =>
  [...post.querySelectorAll('.tgme_widget_message_text')].find(
    element => isOwn(element) && !element.matches('.js-message_reply_text'),
  )

/** An element's text with its line breaks; emoji are text already (`tg-emoji > i.emoji > b`). */
const linesOf = (node: Node): string => {
  let text = ''
  for (const child of node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) text += child.nodeValue ?? ''
    else if (child.nodeName === 'BR') text += '\n'
    else if (child.nodeType === Node.ELEMENT_NODE) text += linesOf(child)
  }
  return text
}

type Attachment = NonNullable<TelegramRecord['telegram']['attachments']>[number]

/**
 * Pictures, videos and documents. The preview has no file of a document: its address is that of the link
 * around its title.
 */
const attachmentsOf = (post: Element, base: string): Attachment[] => {
  const seen = new Set<string>()
  const attachments: Attachment[] = []
  for (const element of [...post.querySelectorAll(ATTACHMENTS)].filter(isOwn)) {
    const attachment = attachmentOf(element, base)
    if (attachment.url && seen.has(attachment.url)) continue
    if (attachment.url) seen.add(attachment.url)
    if (attachment.url || attachment.type === 'document') attachments.push(attachment)
  }
  return attachments.slice(0, ATTACHMENTS_MAX)
}

const attachmentOf = (element: Element, base: string): Attachment => {
  const isPhoto = element.matches('a.tgme_widget_message_photo_wrap')
  const file = element.matches('video')
    ? element.getAttribute('src')
    : element.closest('a.tgme_widget_message_document_wrap')?.getAttribute('href')
  const url = addressOf(isPhoto ? backgroundOf(element) : file, base)
  return { type: isPhoto ? 'image' : 'document', ...(url && { url }) }
}

const backgroundOf = (element: Element): string | undefined =>
  /background-image\s*:\s*url\(\s*(?:'([^']*)'|"([^"]*)"|([^)'"]*))\s*\)/i
    .exec(element.getAttribute('style') ?? '')
    ?.slice(1)
    .find(Boolean)
