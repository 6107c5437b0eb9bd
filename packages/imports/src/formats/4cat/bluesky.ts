import type { Draft } from '../../records/draft.js'
import type { Cells } from '../../tables/cells.js'
import { addressOf } from '../../text/addresses.js'

const blueskyReference = (url: string | undefined, user: string | undefined) => {
  const address = url === undefined ? undefined : addressOf(url)
  if (!url || !address || !('platform' in address)) return user ? { author: user } : undefined
  const isExact = address.id.startsWith('at://did:')
  return { url, ...(isExact && { id: address.id }), ...(user && { author: user }) }
}

/** Returns the author, addresses, language and relations of a row of 4CAT's Bluesky source. */
export const blueskyRelations = (draft: Draft, cells: Cells): Partial<Draft> => {
  const answered = blueskyReference(cells.get('replied_to_post'), cells.get('replied_to_user'))
  const quoted = blueskyReference(cells.get('quoted_post'), cells.get('quoted_user'))
  const handle = draft.author?.handle === 'handle.invalid' ? undefined : draft.author?.handle
  const name = handle ?? draft.author?.id
  const record = draft.id?.split('/').at(-1)
  const thread = cells.get('thread_id')
  const languages = cells.list('languages')
  return {
    author: { ...draft.author, handle, url: name && `https://bsky.app/profile/${name}` },
    url: name && record && `https://bsky.app/profile/${name}/post/${record}`,
    language: languages.length === 1 ? languages[0] : undefined,
    relations: {
      ...(answered && { in_reply_to: answered }),
      ...(quoted && { quote_of: quoted }),
      thread_id: thread === draft.id ? undefined : thread,
    },
  }
}
