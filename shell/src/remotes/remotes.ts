import { createRemotes } from '@iodine/mfe-kit/host'

/** Shared modules that the shell does not need at its start. */
const loadShared = () => Promise.all([import('@iodine/mfe-kit/query'), import('@iodine/ui/overlays')])

export const remotes = createRemotes({ loadShared })

/** Prefetches the shared modules. */
export function preloadShared(): void {
  loadShared().catch(() => {})
}

/** Prefetches a section and the shared modules. */
export function preloadSection(remote: string): void {
  remotes.preload(remote)
  preloadShared()
}
