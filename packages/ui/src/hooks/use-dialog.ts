import { useState } from 'react'

/** The state of a dialog. `key` is for its component: each opening begins with fresh state. */
export function useDialog() {
  const [{ isOpen, key }, setState] = useState({ isOpen: false, key: 0 })
  return {
    isOpen,
    key,
    open: () => setState({ isOpen: true, key: key + 1 }),
    close: () => setState({ isOpen: false, key }),
  }
}
