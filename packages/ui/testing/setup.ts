import { config as transitions } from 'react-transition-group'
import { afterEach } from 'vitest'

// Dialogs, drawers and toasts are there, or gone, at once.
transitions.disabled = true

// A file of a section's may run in Node.
if (typeof document !== 'undefined') {
  const { cleanup, configure, fireEvent } = await import('@testing-library/react')

  // A busy machine may take seconds over a page's first import.
  configure({ asyncUtilTimeout: 30_000 })

  // Set up before all others, and so run last: by now a test has ended its servers and sections.
  afterEach(() => {
    cleanup()
    // Toasts stand outside of what a test renders.
    for (const close of document.querySelectorAll('.bp6-toast [aria-label="Close"]')) fireEvent.click(close)
  })
}
