import { createRemotes } from '@iodine/mfe-kit/host'

export const remotes = createRemotes()
