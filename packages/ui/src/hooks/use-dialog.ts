import { useState } from 'react'

/** Holds the state of a dialog. `key` is the React key of its component, which resets the state on each opening. */
export function useDialog() {
  const [{ isOpen, key }, setState] = useState({ isOpen: false, key: 0 })
  return {
    isOpen,
    key,
    open: () => setState({ isOpen: true, key: key + 1 }),
    close: () => setState({ isOpen: false, key }),
  }
}
