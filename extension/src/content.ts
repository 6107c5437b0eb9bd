import { capture } from './content/capture'
import { createIodButton } from './content/iod-button'
import { createKeeper } from './content/keep'
import { createMarker } from './content/mark'
import { ask, type Order } from './shared/messages'

declare global {
  var iodineCollector: true | undefined
}

/** Handles the background's orders, and starts the features that the user has enabled for this site. */
const start = () => {
  const keeper = createKeeper()
  const marker = createMarker()
  const iodButton = createIodButton(iod => marker.learn(iod))

  const keep = (on: boolean) => (on ? keeper.start() : keeper.stop())
  const mark = (on: boolean) => {
    for (const feature of [marker, iodButton]) on ? feature.start() : feature.stop()
  }

  chrome.runtime.onMessage.addListener((order: Order, from, reply) => {
    if (from.id !== chrome.runtime.id) return false
    if (order.order === 'collect') {
      capture(order.what).then(reply)
      return true
    }
    if (order.order === 'keep') keep(order.on)
    else mark(order.on)
    reply({ url: location.href, captured: [] })
    return false
  })

  ask('hello', {})
    .then(({ keeping, marking }) => {
      if (keeping) keep(true)
      if (marking) mark(true)
    })
    .catch(() => {})
}

// The script may be injected into a page several times. Only the first one starts.
if (!globalThis.iodineCollector) {
  globalThis.iodineCollector = true
  start()
}
