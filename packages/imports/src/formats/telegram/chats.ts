import { zipEntries } from '../../containers/zip.js'
import { idOf, textOf } from '../../json/fields.js'
import { pathValues } from '../../json/values.js'
import { chunksOf, decodeText } from '../../text/decode.js'
import { isEntryOf } from '../zip-entries.js'
import { CHANNELS } from './desktop.js'

const CHATS_MAX = 10_000

/** A channel or supergroup of an export. */
export interface TelegramChat {
  id: string
  name: string
  /** As the export names it, such as `public_channel`. */
  type: string
  messages: number
}

const PATHS = ['$', '$.chats.list.*', '$.left_chats.list.*'].flatMap(chat =>
  ['name', 'type', 'id', 'messages.*'].map(key => `${chat}.${key}`),
)

async function* contentOf(stream: ReadableStream<Uint8Array>, isZip: boolean) {
  const chunks = chunksOf(stream)
  if (!isZip) yield* chunks
  else for await (const { content } of zipEntries(chunks, isEntryOf('telegram-desktop'))) yield* content
}

/**
 * Lists the chats of an export of Telegram Desktop whose messages can be read: channels and supergroups, at most 10,000.
 * Reads the whole file. A cut file has the chats before its end.
 * @param isZip whether the export is in an archive
 * @throws RefusedError as `read`
 */
export const telegramChats = async (
  stream: ReadableStream<Uint8Array>,
  isZip: boolean,
): Promise<TelegramChat[]> => {
  const chats = new Map<string, TelegramChat>()
  for await (const { keys, value } of pathValues(decodeText(contentOf(stream, isZip)), PATHS)) {
    const isMessage = keys.at(-2) === 'messages'
    const path = keys.slice(0, isMessage ? -2 : -1).join('.')
    const chat = chats.get(path) ?? { id: '', name: '', type: '', messages: 0 }
    if (chats.size < CHATS_MAX) chats.set(path, chat)
    if (isMessage) chat.messages += 1
    else if (keys.at(-1) === 'name') chat.name = textOf(value) ?? ''
    else if (keys.at(-1) === 'type') chat.type = textOf(value) ?? ''
    else chat.id = idOf(value) ?? ''
  }
  return [...chats.values()].filter(({ id, type }) => id !== '' && CHANNELS.test(type))
}
