import type { RecordOf } from '@iodine/contracts'
import type { Item, RecordItem } from '../../types.js'

/** An item with the key of its album: neighbours with the same key belong together. */
export type AlbumItem = Item & { album?: string | undefined }
type Message = RecordItem<'telegram'> & { album?: string | undefined }

const idOfMessage = ({ record }: Message): number => Number(record.telegram.post.id)

/** Joins two messages of an album into the one with the lower id, which is the album's address. */
const joinedMessages = (a: Message, b: Message): Message => {
  const [first, second] = idOfMessage(a) <= idOfMessage(b) ? [a, b] : [b, a]
  const [own, other] = [first.record.telegram, second.record.telegram]
  const description = own.post.description ?? other.post.description
  const context = { ...second.record.context, ...first.record.context }
  const record: RecordOf['telegram'] = {
    ...first.record,
    telegram: {
      ...own,
      post: { ...own.post, ...(description && { description }) },
      attachments: [...(own.attachments ?? []), ...(other.attachments ?? [])],
    },
    ...(Object.keys(context).length > 0 && { context }),
  }
  const also = { ...second.also, ...first.also }
  return {
    ...first,
    record,
    at: Math.min(a.at, b.at),
    joined: (a.joined ?? 0) + (b.joined ?? 0) + 1,
    ...(Object.keys(also).length > 0 && { also }),
  }
}

/** Joins the messages of each album. */
export async function* joinAlbums(items: AsyncIterable<AlbumItem>): AsyncGenerator<Item, void, undefined> {
  let open: AlbumItem | undefined
  const bare = ({ album: _, ...item }: AlbumItem) => item as Item
  for await (const item of items) {
    if (open?.album !== undefined && open.album === item.album)
      open = joinedMessages(open as Message, item as Message)
    else {
      if (open) yield bare(open)
      open = item
    }
    if (open.album !== undefined) continue
    yield bare(open)
    open = undefined
  }
  if (open) yield bare(open)
}
