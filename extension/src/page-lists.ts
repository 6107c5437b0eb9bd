import { parseUrl } from '@iodine/contracts'
import type { ForwardedList } from './content/keep'
import { isTiktokList } from './sources'

// Runs in the page's main world while the tab keeps collecting. Forwards the lists of posts that the page fetches,
// and
// sends no requests itself. Its errors must not reach the page.

const MARK = Symbol.for('iodine.lists')

const forward = (url: string, text: string) => {
  const message: ForwardedList = { iodine: 'list', url, text }
  window.postMessage(message, location.origin)
}

const absolute = (url: string): string => parseUrl(url, location.href)?.href ?? ''

if (!Object.hasOwn(window, MARK)) {
  Object.defineProperty(window, MARK, { value: true })

  const { fetch } = window
  window.fetch = async function (this: unknown, ...args: Parameters<typeof fetch>) {
    const response = await Reflect.apply(fetch, this ?? window, args)
    try {
      const url = absolute(response.url)
      if (isTiktokList(url)) {
        response
          .clone()
          .text()
          .then(text => forward(url, text))
          .catch(() => {})
      }
    } catch {}
    return response
  }

  const { open } = XMLHttpRequest.prototype
  XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, ...args: unknown[]) {
    try {
      const url = absolute(String(args[1]))
      if (isTiktokList(url)) {
        this.addEventListener('load', () => {
          try {
            forward(url, this.responseType === 'json' ? JSON.stringify(this.response) : this.responseText)
          } catch {}
        })
      }
    } catch {}
    return Reflect.apply(open, this, args)
  }
}
