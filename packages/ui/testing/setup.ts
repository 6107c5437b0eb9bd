import { config as transitions } from 'react-transition-group'
import { afterEach } from 'vitest'

// Dialogs, drawers and toasts open and close without a transition.
transitions.disabled = true

// Some test files of sections run in Node.
if (typeof document !== 'undefined') {
  const { cleanup, configure, fireEvent } = await import('@testing-library/react')

  // On a busy machine a page's first import may take seconds.
  configure({ asyncUtilTimeout: 30_000 })

  // Toasts are rendered outside the test's container, so `cleanup` does not remove them.
  const closeToasts = () => {
    for (const close of document.querySelectorAll('.bp6-toast [aria-label="Close"]')) fireEvent.click(close)
  }

  // The previous file in this page may have left some.
  closeToasts()
  // Registered first, so it runs last: after the other hooks of a test.
  afterEach(() => {
    cleanup()
    closeToasts()
  })
}
