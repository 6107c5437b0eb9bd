import { createRemotes } from '@iodine/mfe-kit/host'

/** The shared modules that the shell itself starts without. */
const loadShared = () => Promise.all([import('@iodine/mfe-kit/query'), import('@iodine/ui/overlays')])

export const remotes = createRemotes({ loadShared })

/** Loads a section and the shared modules ahead of need. */
export function preloadSection(remote: string): void {
  remotes.preload(remote)
  loadShared().catch(() => {})
}
