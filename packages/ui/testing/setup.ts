import { config as transitions } from 'react-transition-group'
import { afterEach } from 'vitest'

// Dialogs, drawers and toasts open and close without a transition.
transitions.disabled = true

// Some test files of sections run in Node.
if (typeof document !== 'undefined') {
  const { cleanup, configure, fireEvent } = await import('@testing-library/react')

  // On a busy machine a page's first import may take seconds.
  configure({ asyncUtilTimeout: 30_000 })

  // Registered first, so it runs last: after tests have stopped their servers and sections.
  afterEach(() => {
    cleanup()
    // Toasts are rendered outside the test's container, so `cleanup` does not remove them.
    for (const close of document.querySelectorAll('.bp6-toast [aria-label="Close"]')) fireEvent.click(close)
  })
}
