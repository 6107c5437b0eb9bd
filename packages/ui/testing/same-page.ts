/** Setup file that keeps the page for the next test file. A test file fails if it leaves elements behind. */
import { afterAll, expect } from 'vitest'

if (typeof document !== 'undefined') {
  localStorage.clear()
  sessionStorage.clear()
  // happy-dom has no layout, so some files give all elements a size.
  const before = Object.getOwnPropertyDescriptors(HTMLElement.prototype)

  afterAll(() => {
    for (const name of Object.keys(Object.getOwnPropertyDescriptors(HTMLElement.prototype)))
      if (!Object.hasOwn(before, name)) Reflect.deleteProperty(HTMLElement.prototype, name)
    Object.defineProperties(HTMLElement.prototype, before)
    // The toasts' container stays.
    const left = [...document.body.children].filter(
      element => element.innerHTML !== '' && !element.querySelector('.bp6-toast-container'),
    )
    for (const element of left) element.remove()
    expect(left.map(element => element.outerHTML.slice(0, 200))).toEqual([])
  })
}
