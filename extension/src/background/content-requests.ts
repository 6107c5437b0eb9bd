import {
  ApiError,
  foldIod,
  foldValue,
  type Iod,
  isHttpUrl,
  LIMITS,
  pageAddress,
  SOURCE_TYPE_OF,
} from '@iodine/contracts'
import { relationOf } from '@iodine/evidence'
import { Failure, failureOf, sentenceOf } from '../shared/failures'
import type { ContentRequests, CreatedIod, InputOf, KnownValue, QuotedPage } from '../shared/messages'
import { sourceOf } from '../sources'
import { requireAccount } from './accounts'
import { callApi, endpoints } from './api'
import type { TabPage } from './collect'
import { type Account, ownerOf, readSetting } from './database'
import { isKept, showKeeping } from './keep'
import { knownValue } from './overlay'
import type { Parts, ResultOf } from './parts'
import { showBadge } from './tabs'

/** Maximum characters that one `scan` message may contain. */
const SCAN_MAX = 1_000_000
const APP_PATH = /^\/dashboard\/(iods|campaigns)\/[0-9a-f]{24}$/

type AllHandlers = {
  [N in keyof ContentRequests]: (input: InputOf<N>, place: TabPage) => Promise<ResultOf<N>>
}
type Handlers = Partial<AllHandlers>

/** Returns the existing IOD with this value and category. */
const findIod = async (
  account: Account,
  iod: Pick<Iod, 'value' | 'category'>,
): Promise<KnownValue | undefined> => {
  const found = await callApi(account, endpoints.lookup, { body: { values: [foldValue(iod.value)] } })
  return found
    .filter(({ category }) => category === iod.category)
    .map(knownValue)
    .find(each => foldIod(each) === foldIod(iod))
}

/** Captures the sender's page. The quote becomes evidence of the IOD once the capture is sealed. */
const quote = async (
  { isSealing, collector, send }: Parts,
  account: Account,
  iod: KnownValue,
  { page, place: { start, end, exact } }: QuotedPage,
  { url }: TabPage,
): Promise<Pick<CreatedIod, 'problem'>> => {
  if (!(await isSealing())) return {}
  // The server would reject such a quote and leave its capture without a reference.
  if (page.text.slice(start, end) !== exact || relationOf(exact, iod.value) === null)
    return { problem: sentenceOf('wordsDiffer') }
  const source = sourceOf(url) ?? 'blog'
  const problem = await collector.quote(
    ownerOf(account),
    { url, source, page },
    { iod, place: { start, end, exact } },
  )
  send()
  return problem === undefined ? {} : { problem }
}

/** Requests of a page that keeps collecting, or is being collected. */
const collectRequests = (parts: Parts) => {
  const { database, queue, collector, marking, isSealing, problem, send, trackStorage, withImageHashes } =
    parts
  return {
    async hello(_, place) {
      return {
        keeping: await isKept(place),
        marking: await marking.isMarked(place),
        sealing: await isSealing(),
      }
    },

    async captured({ captured }, place) {
      const account = await readSetting(database, 'account')
      if (!account || !(await isKept(place))) throw new Failure('notCollecting')
      const source = sourceOf(place.url)
      const looked = await withImageHashes(captured.filter(item => item.source === source))
      const wasWell = problem() === ''
      try {
        await trackStorage(queue.add(ownerOf(account), looked, { resend: false }))
        if (!wasWell) await showKeeping(place.tabId, place.url)
      } catch (error) {
        await showBadge(place.tabId, '!', failureOf(error).message)
        throw error
      }
      send()
    },

    async collected({ ticket, collected }, place) {
      collector.answer(place, ticket, collected)
    },
  } satisfies Handlers
}

/** Requests of a page in which known IODs are marked. */
const markRequests = (parts: Parts) => {
  const { database, overlay, marking } = parts
  return {
    async scan({ texts }, place) {
      if (!(await marking.isMarked(place))) throw new Failure('notMarking')
      if (texts.reduce((sum, text) => sum + text.length, 0) > SCAN_MAX) throw new Failure('tooMuch')
      return overlay.scan(texts)
    },

    async openApp({ path }, place) {
      if (!(await marking.isMarked(place)) || !APP_PATH.test(path)) throw new Failure('notMarking')
      const { server } = await requireAccount(database)
      await chrome.tabs.create({ url: server + path, openerTabId: place.tabId })
    },

    async createIod({ iod: { value, category, description }, quoted }, place) {
      if (!(await marking.isMarked(place))) throw new Failure('notMarking')
      const account = await requireAccount(database)
      const address = pageAddress(place.url)
      const body = {
        value,
        category,
        description,
        source_type: SOURCE_TYPE_OF[sourceOf(place.url) ?? 'blog'],
        source: isHttpUrl(address) && address.length <= LIMITS.fieldMax ? address : null,
      }
      let created: KnownValue
      try {
        created = knownValue(await callApi(account, endpoints.createIod, { body }))
      } catch (error) {
        const existing =
          error instanceof ApiError && error.status === 409 ? await findIod(account, body) : undefined
        if (!existing) throw error
        return { iod: existing, isNew: false }
      }
      await overlay.add(created)
      return {
        iod: created,
        isNew: true,
        ...(quoted && (await quote(parts, account, created, quoted, place))),
      }
    },

    async quoteIod({ iod, quoted }, place) {
      if (!(await marking.isMarked(place))) throw new Failure('notMarking')
      const account = await requireAccount(database)
      const existing = await findIod(account, iod)
      if (!existing) throw new Failure('iodGone')
      return { iod: existing, isNew: false, ...(await quote(parts, account, existing, quoted, place)) }
    },
  } satisfies Handlers
}

/** Creates the handlers of the content script's requests. Each checks that the user has enabled the feature for that page. */
export const createContentRequests = (parts: Parts): AllHandlers => ({
  ...collectRequests(parts),
  ...markRequests(parts),
})
