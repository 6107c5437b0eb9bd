import { at, countAt, firstText, idAt, idOf, listAt, textAt, timeFrom } from '../../json/fields.js'
import type { ItemContext, ItemResult, JsonFormat } from '../../json/read.js'
import { messageRecord } from '../../records/of-draft.js'
import { telegramUrl } from '../../text/addresses.js'
import { linksIn } from '../../text/found.js'
import type { Answers } from '../../types.js'

/*
 * Messages of Telethon (LonamiWebs/Telethon, `to_dict`), of telegram-tracker, which writes the channels beside them, and
 * of 4CAT, which writes `_type` instead of `_`.
 */

const typeOf = (value: unknown) => firstText(value, '_', '_type')

interface Channel {
  id: string
  username?: string | undefined
  title?: string | undefined
}

/** Returns what is known of a channel: by the user, by the file. */
const channelOf = (id: string, message: unknown, { chats }: Answers): Channel => {
  const answer = chats && Object.hasOwn(chats, id) ? chats[id] : undefined
  const listed = [...listAt(message, 'chats'), at(message, '_chat')].find(chat => idAt(chat, 'id') === id)
  return {
    id,
    username: answer?.username ?? textAt(listed, 'username') ?? textAt(listed, 'usernames', 0, 'username'),
    title: answer?.title ?? textAt(listed, 'title'),
  }
}

const peerId = (peer: unknown): string | undefined => idAt(peer, 'channel_id')?.replace(/^-100/, '')

/** Returns the text of an entity, by its offset in UTF-16 units. */
const marked = (text: string, entity: unknown): string => {
  const start = countAt(entity, 'offset') ?? 0
  return text.slice(start, start + (countAt(entity, 'length') ?? 0))
}

const linksOf = (message: unknown, text: string): string[] => {
  const entities = listAt(message, 'entities')
  const page = textAt(message, 'media', 'webpage', 'url')
  const found = entities.flatMap(entity => {
    const type = typeOf(entity)
    const words = marked(text, entity)
    if (type === 'MessageEntityUrl') return /^https?:/i.test(words) ? words : `https://${words}`
    if (type === 'MessageEntityTextUrl') return textAt(entity, 'url') ?? []
    return type === 'MessageEntityMention' ? `https://t.me/${words.replace(/^@/, '')}` : []
  })
  const links = Array.isArray(at(message, 'entities')) ? found : linksIn(text)
  return [...new Set([...links, ...(page ? [page] : [])])]
}

const senderOf = (message: unknown): string | undefined => {
  const sender = at(message, '_sender')
  const name = [textAt(sender, 'first_name'), textAt(sender, 'last_name')].filter(Boolean).join(' ')
  return firstText(sender, 'title') ?? (name || firstText(sender, 'username'))
}

const forwardOf = (message: unknown, answers: Answers) => {
  const forward = at(message, 'fwd_from')
  const id = peerId(at(forward, 'from_id')) ?? idAt(forward, 'channel_id')
  const origin = id === undefined ? undefined : channelOf(id, message, answers)
  const post = idAt(forward, 'channel_post')
  const author = origin?.title ?? textAt(forward, 'from_name')
  const page = origin?.username && `https://t.me/${origin.username}`
  return { author, url: origin && post ? telegramUrl(origin.username ?? origin.id, post) : page }
}

const MEDIA: Record<string, string> = { MessageMediaPhoto: 'image', MessageMediaDocument: 'document' }

const reactionsOf = (message: unknown): number | undefined => {
  const results = listAt(message, 'reactions', 'results')
  if (results.length === 0) return undefined
  return results.reduce<number>((sum, each) => sum + (countAt(each, 'count') ?? 0), 0)
}

/** Returns the channel of a message, or why it has no address. */
const channelIn = (message: unknown, answers: Answers): Channel | 'chat-not-chosen' | 'no-address' => {
  const peer = at(message, 'peer_id') ?? at(message, 'to_id')
  if (typeOf(peer) === 'PeerUser' || idAt(peer, 'user_id') !== undefined) return 'chat-not-chosen'
  const id = peerId(peer)
  const username = answers.channel ?? answers.username
  if (id !== undefined) {
    if (answers.chats && !Object.hasOwn(answers.chats, id)) return 'chat-not-chosen'
    const channel = channelOf(id, message, answers)
    return { ...channel, username: channel.username ?? username }
  }
  const chat = textAt(message, '_chat', 'username') ?? username
  return chat === undefined
    ? 'no-address'
    : { id: chat, username: chat, title: textAt(message, '_chat', 'title') }
}

const read = (message: unknown, context: ItemContext): ItemResult => {
  const { answers, origin } = context
  const type = typeOf(message)
  if (type === 'MessageService') return { skipped: 'service-message' }
  if (type === 'MessageEmpty') return { skipped: 'no-content' }
  if (type !== 'Message') return { skipped: 'not-an-item' }
  const id = idAt(message, 'id')
  if (!id) return { skipped: 'no-id' }
  const channel = channelIn(message, answers)
  if (typeof channel === 'string') return { skipped: channel }
  const address = channel.username ?? channel.id
  const text = textAt(message, 'message') ?? ''
  const reply = idAt(message, 'reply_to', 'reply_to_msg_id') ?? idAt(message, 'reply_to_msg_id')
  const signature = textAt(message, 'post_author')
  const medium = MEDIA[typeOf(at(message, 'media')) ?? '']
  const utc = { zone: 'UTC' }
  const collected = timeFrom(
    at(message, '4CAT_metadata', 'collected_at'),
    { warnings: new Set() },
    {
      ...(answers.timezone && { zone: answers.timezone }),
    },
  )
  const grouped = at(message, 'grouped_id')
  // A rounded id still joins the messages of one file.
  const album = idOf(grouped) ?? (typeof grouped === 'number' ? `${grouped}` : undefined)
  const record = messageRecord(
    address,
    id,
    {
      text,
      published_at: timeFrom(at(message, 'date'), context, utc),
      edited_at:
        at(message, 'edit_hide') === true ? undefined : timeFrom(at(message, 'edit_date'), context, utc),
      author: { name: channel.title ?? signature ?? senderOf(message) },
      within: { name: channel.title },
      links: linksOf(message, text),
      media: medium ? [{ type: medium }] : [],
      metrics: {
        views: countAt(message, 'views'),
        shares: countAt(message, 'forwards'),
        comments: countAt(at(message, 'replies'), 'replies'),
        reactions: reactionsOf(message),
      },
      relations: {
        ...(reply && { in_reply_to: { url: telegramUrl(address, reply) } }),
        repost_of: forwardOf(message, answers),
      },
    },
    { ...origin, fetched: collected ?? origin.fetched },
  )
  const isSigned = signature !== undefined && channel.title !== undefined
  return {
    ...record,
    ...(isSigned && { also: { ...record.also, signature } }),
    timed: collected !== undefined,
    ...(album !== undefined && { album: `${address} ${album}` }),
  }
}

export const telethon: JsonFormat = {
  by: 'telethon',
  lists: ['$.messages.*'],
  pageItems(page) {
    const chats = listAt(page, 'chats')
    const messages = at(page, 'messages')
    if (!Array.isArray(messages) || chats.length === 0) return undefined
    return messages.map(message =>
      typeof message === 'object' && message !== null && !Array.isArray(message)
        ? { ...message, chats }
        : message,
    )
  },
  read,
}
