import { createIodButton } from './content/iod-button'
import { createKeeper } from './content/keep'
import { createOverlay } from './content/overlay'
import { collect } from './content/page-parts'
import { isDisconnected, removeLeftovers } from './shared/browser'
import { failureOf, sentenceOf } from './shared/failures'
import { type Order, type PageReport, sendRequest } from './shared/messages'
import { rejectUnsupported } from './sources'

declare global {
  var iodineCollector: true | undefined
}

/** Interval of the check whether the extension was updated. */
const CHECK_MS = 1_000
const TOO_MUCH = { problem: sentenceOf('tooLong') }

/** Sends the requested records, without page parts if those exceed the size limit of a message. */
const answer = async ({ what, ticket, sealing }: Extract<Order, { order: 'collect' }>) => {
  const collected = await collect(what, sealing)
  await sendRequest('collected', { ticket, collected }).catch(() =>
    sendRequest('collected', {
      ticket,
      collected: collected.map(({ captured }) => ({ captured, page: TOO_MUCH })),
    }),
  )
}

const createFeatures = () => {
  const overlay = createOverlay()
  return { keeper: createKeeper(), overlay, iodButton: createIodButton(() => overlay.refresh()) }
}

/** Executes the background's orders and starts the features that the user has enabled for this site. */
const start = () => {
  // The features need an HTML document; the browser also shows feeds and pictures.
  const features = /html/.test(document.contentType) ? createFeatures() : undefined
  removeLeftovers()
  const checking = setInterval(() => {
    if (!isDisconnected()) return
    clearInterval(checking)
    features?.keeper.stop()
    features?.overlay.stop()
    features?.iodButton.disconnect()
  }, CHECK_MS)
  const mark = (on: boolean) => {
    for (const feature of [features?.overlay, features?.iodButton]) on ? feature?.start() : feature?.stop()
  }
  const carryOut = async (order: Order): Promise<Omit<PageReport, 'url'>> => {
    if (order.order === 'collect') await answer(order)
    else if (order.order === 'conceal') await features?.overlay.conceal(order.on)
    else if (order.order === 'keep') {
      if (order.on) rejectUnsupported({ document, url: location.href })
      order.on ? features?.keeper.start() : features?.keeper.stop()
    } else if (order.order === 'mark') mark(order.on)
    else if (order.order === 'refresh') features?.overlay.refresh()
    else return { found: features?.overlay.found() ?? [] }
    return {}
  }

  chrome.runtime.onMessage.addListener((order: Order, from, reply) => {
    if (from.id !== chrome.runtime.id) return false
    carryOut(order)
      .catch((error): Omit<PageReport, 'url'> => ({ failure: failureOf(error).message }))
      .then(report => reply({ ...report, url: location.href }))
    return true
  })

  sendRequest('hello', {})
    .then(({ keeping, marking, sealing }) => {
      features?.iodButton.setSealing(sealing)
      if (keeping) features?.keeper.start()
      if (marking) mark(true)
    })
    .catch(() => {})
}

// The script may be injected into a page several times. Only the first one starts.
if (!globalThis.iodineCollector) {
  globalThis.iodineCollector = true
  start()
}
