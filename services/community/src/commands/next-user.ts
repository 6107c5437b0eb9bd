import type { DomainEvent } from '@iodine/contracts'
import { searchFields, type UserDoc } from '../models/user.js'

export type UserEvent = Extract<DomainEvent, { type: 'user.created' | 'user.renamed' | 'user.deleted' }>
export type UserState = Omit<UserDoc, '_id'>

/** State before `user.created`: events of contributions may arrive first. */
export const UNKNOWN_USER: UserState = {
  username: null,
  revision: 0,
  created_at: null,
  deleted: false,
  public: false,
  search: '',
  grams: [],
  total_iods: 0,
  total_narratives: 0,
}

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
  return { ...next, ...searchFields(next) }
}
