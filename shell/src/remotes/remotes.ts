import { createRemotes } from '@iodine/mfe-kit/host'

export const remotes = createRemotes()

/** Fetches a section ahead of need, with the shared parts that the shell itself starts without. */
export function preloadSection(remote: string): void {
  remotes.preload(remote)
  for (const shared of [import('@iodine/mfe-kit/query'), import('@iodine/ui/overlays')])
    shared.catch(() => {})
}
