import { useEffect } from 'react'
import { useLatest } from './use-latest'

export interface KeyDownOptions {
  /** Default true. */
  enabled?: boolean
  /** The target of the listener: the window's listeners run after the document's. Default 'document'. */
  on?: 'document' | 'window'
  /** Whether to listen in the capture phase; default false. */
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
