import type { RecordOf } from '@iodine/contracts'
import { zipEntries } from '../../containers/zip.js'
import { idOf, textOf } from '../../json/fields.js'
import { pathValues } from '../../json/values.js'
import { read } from '../../read.js'
import { chunksOf, decodeText } from '../../text/decode.js'
import { isEntryOf } from '../zip-entries.js'
import { CHANNELS } from './desktop.js'

const CHATS_MAX = 10_000

/** A channel or supergroup of an export. */
export interface TelegramChat {
  id: string
  name: string
  /** As the export names it, such as `public_channel`; `channel` if the file does not state whether it is public. */
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

/** Address of a message in a channel without a name. */
const NUMBERED = /^https:\/\/t\.me\/c\/(\d+)\//

/** Lists the channels that the messages of Telethon give by number only. */
const telethonChats = async (stream: ReadableStream<Uint8Array>): Promise<TelegramChat[]> => {
  const chats = new Map<string, TelegramChat>()
  for await (const item of read(stream, { format: 'telethon' }, { file_time: new Date(0).toISOString() })) {
    if (!('record' in item) || item.source !== 'telegram') continue
    const { telegram } = item.record as RecordOf['telegram']
    const id = NUMBERED.exec(telegram.post.url ?? '')?.[1]
    if (id === undefined) continue
    const chat = chats.get(id) ?? { id, name: telegram.channel?.title ?? '', type: 'channel', messages: 0 }
    if (chats.size < CHATS_MAX) chats.set(id, chat)
    chat.messages += 1 + (item.joined ?? 0)
  }
  return [...chats.values()]
}

/**
 * Lists the chats of a file whose messages can be read, at most 10,000: of an export of Telegram Desktop its channels and
 * supergroups, of Telethon those without a name. Reads the whole file. A cut file has the chats before its end.
 * @param isZip whether the export of Telegram Desktop is in an archive
 * @throws RefusedError as `read`
 */
export const telegramChats = async (
  stream: ReadableStream<Uint8Array>,
  format: 'telegram-desktop' | 'telethon',
  isZip: boolean,
): Promise<TelegramChat[]> => {
  if (format === 'telethon') return telethonChats(stream)
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
