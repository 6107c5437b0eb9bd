import type { SharedAs } from '@iodine/contracts'

/** The controls that share records: their text, and a sentence about their effect. */
export const SHARING_TEXTS: Record<SharedAs, { text: string; help: string }> = {
  username: {
    text: 'Share with my username',
    help: 'Other members find it in Origins, with your username',
  },
  anonymous: {
    text: 'Share anonymously',
    help: 'Other members find it in Origins, without your username',
  },
}
