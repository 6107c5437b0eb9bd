import { type DomainEvent, foldText } from '@iodine/contracts'
import type { UserDoc } from '../models/user.js'

export type UserEvent = Extract<DomainEvent, { type: 'user.created' | 'user.renamed' | 'user.deleted' }>
export type UserState = Omit<UserDoc, '_id'>

/** State before user.created: events of contributions may arrive first. */
export const UNKNOWN_USER: UserState = {
  username: null,
  revision: 0,
  created_at: null,
  deleted: false,
  public: false,
  suffixes: [],
  total_iods: 0,
  total_narratives: 0,
}

const suffixesOf = (username: string): string[] => Array.from(username, (_, at) => username.slice(at))

/** All search terms that match a user with these suffixes. */
export const termsOf = (suffixes: readonly string[]): Set<string> =>
  new Set(suffixes.flatMap(suffix => Array.from(suffix, (_, at) => suffix.slice(0, at + 1))))

/** Computes the user's state after an event. The result does not depend on repetition or order of events. */
export const nextUser = (user: UserState, event: UserEvent): UserState => {
  if (user.deleted) return user
  const next = { ...user }
  switch (event.type) {
    case 'user.created':
      next.created_at = new Date(event.data.created_at)
      if (user.revision === 0) next.username = event.data.username
      break
    case 'user.renamed':
      if (event.data.revision <= user.revision) return user
      next.username = event.data.username
      next.revision = event.data.revision
      break
    case 'user.deleted':
      // Tombstone: later events cannot restore the user.
      return { ...UNKNOWN_USER, deleted: true }
  }
  next.public = next.username !== null && next.created_at !== null
  next.suffixes = next.public && next.username !== null ? suffixesOf(foldText(next.username)) : []
  return next
}
