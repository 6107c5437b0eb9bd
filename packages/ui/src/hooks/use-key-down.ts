import { useEffect } from 'react'
import { useLatest } from './use-latest'

export interface KeyDownOptions {
  /** Default true. */
  enabled?: boolean
  /** The window gets the keys that nothing in the document has handled; default the document. */
  on?: 'document' | 'window'
  /** Whether it comes before everything else on the page; default false. */
  capture?: boolean
}

/** Calls `act` for each key that is pressed anywhere on the page. */
export function useKeyDown(act: (event: KeyboardEvent) => void, options: KeyDownOptions = {}): void {
  const { enabled = true, on = 'document', capture = false } = options
  const latest = useLatest(act)
  useEffect(() => {
    if (!enabled) return
    const target: Document | Window = on === 'window' ? window : document
    const listen = (event: Event) => latest.current(event as KeyboardEvent)
    target.addEventListener('keydown', listen, { capture })
    return () => target.removeEventListener('keydown', listen, { capture })
  }, [enabled, on, capture, latest])
}
