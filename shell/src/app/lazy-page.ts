import { type ComponentType, lazy } from 'react'

export interface LazyPage {
  Page: ComponentType
  /** Prefetches the page. Never fails: the rendered page reports a failed load. */
  prefetch: () => void
}

/** Returns a page that is loaded on first use. */
export const lazyPage = (load: () => Promise<ComponentType>): LazyPage => ({
  Page: lazy(async () => ({ default: await load() })),
  prefetch: () => void load().catch(() => {}),
})
