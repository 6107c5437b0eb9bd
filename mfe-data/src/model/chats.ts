import type { Answers, TelegramChat } from '@iodine/imports'

/** Chosen chats by id. */
export type ChosenChats = NonNullable<Answers['chats']>

/**
 * Returns whether a chat is not public. One of an unknown kind counts as private, except in files of tools whose user
 * named each channel.
 */
export const isPrivate = ({ type }: TelegramChat): boolean =>
  type !== 'channel' && !type.startsWith('public_')

/** Returns the chats with public ones first. */
export const publicFirst = (chats: readonly TelegramChat[]): TelegramChat[] =>
  [...chats].sort((one, other) => Number(isPrivate(one)) - Number(isPrivate(other)))

/** Returns the chosen chats with a chat added, or removed if it was chosen. */
export const withChat = (chosen: ChosenChats, id: string): ChosenChats => {
  const { [id]: found, ...others } = chosen
  return found ? others : { ...chosen, [id]: {} }
}

/** Returns the chosen chats with the username of one of them. */
export const withUsername = (chosen: ChosenChats, id: string, username: string): ChosenChats => ({
  ...chosen,
  [id]: { ...chosen[id], username },
})

/** Returns the chosen chats without empty usernames and the `@` before others. */
export const cleanChats = (chosen: ChosenChats): ChosenChats =>
  Object.fromEntries(
    Object.entries(chosen).map(([id, { username = '', ...chat }]) => {
      const name = username.trim().replace(/^@/, '')
      return [id, { ...chat, ...(name && { username: name }) }]
    }),
  )
