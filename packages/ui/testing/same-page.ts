/** Setup file: a test file fails if it leaves elements, as the next file gets the same page. */
import { afterAll, expect } from 'vitest'

if (typeof document !== 'undefined') {
  afterAll(() => {
    // The toasts' container stays.
    const left = [...document.body.children].filter(
      element => element.innerHTML !== '' && !element.querySelector('.bp6-toast-container'),
    )
    for (const element of left) element.remove()
    expect(left.map(element => element.outerHTML.slice(0, 200))).toEqual([])
  })
}
