import { domainToUnicode } from 'node:url'

/** A stored address as people write it: its domain in their script. */
export const presentEmail = (email: string): string => {
  const at = email.lastIndexOf('@') + 1
  return email.slice(0, at) + (domainToUnicode(email.slice(at)) || email.slice(at))
}
