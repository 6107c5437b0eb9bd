import type { Draft } from '../../records/draft.js'

/** 4CAT replaces names by hashes on request. */
const HASH = /^[0-9a-f]{32,128}$/i

/** Returns an author without handles and names that 4CAT hashed: they name no account. Its hashed id stays. */
export const namedAuthor = (author: Draft['author']): Draft['author'] => {
  if (!author) return author
  const { handle, name, ...rest } = author
  const isHashed = (value: string | undefined) => value !== undefined && HASH.test(value)
  return { ...rest, handle: isHashed(handle) ? undefined : handle, name: isHashed(name) ? undefined : name }
}
