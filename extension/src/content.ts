import { capture } from './content/capture'
import { createIodButton } from './content/iod-button'
import { createKeeper } from './content/keep'
import { createMarker } from './content/mark'
import { ask, type Order } from './shared/messages'

declare global {
  var iodineCollector: true | undefined
}

/** Listens to the background's orders; does nothing by itself that the user has not switched on for this site. */
const start = () => {
  const keeper = createKeeper()
  const marker = createMarker()
  const iodButton = createIodButton(iod => marker.learn(iod))

  const keep = (on: boolean) => (on ? keeper.start() : keeper.stop())
  const mark = (on: boolean) => {
    for (const part of [marker, iodButton]) on ? part.start() : part.stop()
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

// Injected at each use, and by the browser on sites where marking is on: the first one stays.
if (!globalThis.iodineCollector) {
  globalThis.iodineCollector = true
  start()
}
