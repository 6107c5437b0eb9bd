import type { Comment, Iod } from '@iodine/contracts'
import type { UserDirectory } from '@iodine/service-kit'
import type { IodDoc } from '../models/iod.js'

/**
 * Presents IODs to clients, in the given order, with current usernames.
 * @param comments by the IOD's id
 */
export const presentIods = async (
  users: UserDirectory,
  docs: IodDoc[],
  comments: ReadonlyMap<string, Comment[]>,
): Promise<Iod[]> => {
  const ids = new Set<string>()
  for (const doc of docs) {
    for (const id of [doc.created_by, ...doc.votes.map(vote => vote.user_id)])
      if (id) ids.add(id.toHexString())
  }
  const names = ids.size > 0 ? await users.usernames(ids) : new Map<string, string>()
  const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? null))
  return docs.map(doc => {
    const creator = doc.created_by?.toHexString() ?? null
    const username = nameOf(creator)
    const id = doc._id.toHexString()
    return {
      id,
      value: doc.value,
      category: doc.category,
      description: doc.description,
      source_type: doc.source_type,
      source: doc.source,
      source_id: doc.source_id,
      created_by: username,
      created_by_id: creator,
      created_by_username: username,
      created_at: doc.created_at.toISOString(),
      votes: doc.votes.map(vote => {
        const voter = vote.user_id?.toHexString() ?? null
        return {
          id: vote._id.toHexString(),
          user_id: voter,
          username: nameOf(voter),
          vote_type: vote.vote_type,
          created_at: vote.created_at.toISOString(),
        }
      }),
      comments: comments.get(id) ?? [],
    }
  })
}
