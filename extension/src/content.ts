import { pageAbsence } from './content/capture'
import { createIodButton } from './content/iod-button'
import { createKeeper } from './content/keep'
import { createOverlay } from './content/overlay'
import { collect } from './content/page-parts'
import { ask, type Order } from './shared/messages'

declare global {
  var iodineCollector: true | undefined
}

const TOO_MUCH = { problem: 'the page is too long' }

/** Handles the background's orders, and starts the features that the user has enabled for this site. */
const start = () => {
  const keeper = createKeeper()
  const overlay = createOverlay()
  const iodButton = createIodButton(() => overlay.refresh())

  const keep = (on: boolean) => (on ? keeper.start() : keeper.stop())
  /** Hands over what was asked for: without captures if they are too much for a message. */
  const answer = async ({ what, ticket, sealing }: Extract<Order, { order: 'collect' }>) => {
    const collected = await collect(what, sealing)
    await ask('collected', { ticket, collected }).catch(() =>
      ask('collected', {
        ticket,
        collected: collected.map(({ captured }) => ({ captured, page: TOO_MUCH })),
      }),
    )
    const absence = pageAbsence()
    return { url: location.href, ...(absence && { absence }) }
  }
  const mark = (on: boolean) => {
    for (const feature of [overlay, iodButton]) on ? feature.start() : feature.stop()
  }

  chrome.runtime.onMessage.addListener((order: Order, from, reply) => {
    if (from.id !== chrome.runtime.id) return false
    if (order.order === 'collect') {
      answer(order).then(reply, () => reply())
      return true
    }
    if (order.order === 'conceal') {
      overlay.conceal(order.on).then(() => reply({ url: location.href }))
      return true
    }
    if (order.order === 'keep') keep(order.on)
    else if (order.order === 'mark') mark(order.on)
    else if (order.order === 'refresh') overlay.refresh()
    reply({ url: location.href, ...(order.order === 'found' && { found: overlay.found() }) })
    return false
  })

  ask('hello', {})
    .then(({ keeping, marking, sealing }) => {
      iodButton.setSealing(sealing)
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
