import * as React from 'react'
import { config as transitions } from 'react-transition-group'
import { afterEach } from 'vitest'

// Disables the transitions of dialogs, drawers and toasts.
transitions.disabled = true

// React's development build creates an Error per element, for the stack of a warning, until this counter reaches its limit.
// That takes a quarter of the page tests' CPU time.
const [, internals] = Object.entries(React).find(([name]) => name.startsWith('__CLIENT_INTERNALS')) ?? []
Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', {
  get: () => Number.POSITIVE_INFINITY,
  set() {},
})

// Some test files of sections run in Node.
if (typeof document !== 'undefined') {
  const { cleanup, configure, fireEvent } = await import('@testing-library/react')

  // On a busy machine a page's first import may take seconds.
  configure({ asyncUtilTimeout: 30_000 })

  // Toasts are rendered outside the test's container, so `cleanup` does not remove them.
  const closeToasts = () => {
    for (const close of document.querySelectorAll('.bp6-toast [aria-label="Close"]')) fireEvent.click(close)
  }

  // Toasts of the previous file in this page.
  closeToasts()
  // Vitest runs the hook that was registered first as the last one.
  afterEach(() => {
    cleanup()
    closeToasts()
  })
}
