import {
  type Capture,
  type Client,
  capturesApi,
  evidenceApi,
  type Iod,
  type Manifest,
  narrativesApi,
} from '@iodine/contracts'
import { anchorQuote, canonicalJson, captureDom, PROJECTION, projectText, sha256Hex } from '@iodine/evidence'
import { Window } from 'happy-dom'
import { type DemoPage, demoPages } from './pages.js'

type Call = Client['call']
/** The DOM's types are not those of Node. */
type Root = Parameters<typeof captureDom>[0]

/** Pieces of evidence that an IOD gets. */
const PIECES = 2

/** A page as the collector's service has it. */
export interface DemoCapture extends DemoPage {
  id: Capture['id']
  text: string
}

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** The content of a page's capture, by what it is. */
export const contentOf = ({ html, record }: DemoPage) => {
  const { document } = new Window({ settings: { disableJavaScriptEvaluation: true } })
  document.body.innerHTML = html
  const root = document.body.firstElementChild as unknown as Root
  return { text: projectText(root), dom: captureDom(root), record: canonicalJson(record) }
}

const TYPES = { text: 'text/plain', dom: 'text/html', record: 'application/json' } as const

/**
 * Captures the demo's pages as their accounts, and seals them. A page that is captured already is left as it is.
 * @param people calls of the API, by index of the account
 */
export const captureDemo = async (people: readonly Call[]): Promise<DemoCapture[]> => {
  const captures: DemoCapture[] = []
  // One after the other: an account may have few captures under way at once.
  for (const page of demoPages) {
    const call = people[page.by] as Call
    const content = contentOf(page)
    const roles = ['text', 'dom', 'record'] as const
    const blobs = await Promise.all(
      roles.map(async role => {
        const bytes = encode(content[role])
        return { role, bytes, sha256: await sha256Hex(bytes) }
      }),
    )
    const manifest: Manifest = {
      v: 1,
      source: page.source,
      url: page.url,
      captured_at: page.record.collector_metadata.fetch_timestamp,
      trigger: 'collect',
      collector: 'iodine-demo/1.0.0',
      projection: PROJECTION,
      blobs: blobs.map(({ role, sha256, bytes }) => ({
        role,
        sha256,
        bytes: bytes.length,
        type: TYPES[role],
      })),
    }
    const { id, missing } = await call(capturesApi.createCapture, { body: manifest })
    for (const { sha256, bytes } of blobs)
      if (missing.includes(sha256)) await call(capturesApi.putBlob, { params: { id, sha256 }, body: bytes })
    await call(capturesApi.sealCapture, { params: { id } })
    // What its owner has changed since the first fill stays so.
    if (page.shared && missing.length > 0)
      await call(capturesApi.shareCapture, { params: { id }, body: { shared: true } })
    captures.push({ ...page, id, text: content.text })
  }
  return captures
}

/** The first places in captures that say a value. */
export const quotesOf = <C extends { text: string }>(captures: readonly C[], value: string) =>
  captures
    .flatMap(capture => {
      const place = anchorQuote(capture.text, { exact: value })
      return place ? [{ capture, ...place, exact: capture.text.slice(place.start, place.end) }] : []
    })
    .slice(0, PIECES)

/**
 * Quotes the captures as evidence of the IODs whose value they say, each as the account that captured it.
 * @param attempt ignores the refusal of what is there already
 */
export const quoteDemo = async (
  people: readonly Call[],
  captures: readonly DemoCapture[],
  iods: readonly Iod[],
  attempt: (work: Promise<unknown>) => Promise<void>,
): Promise<void> => {
  for (const { id, value } of iods)
    for (const { capture, ...place } of quotesOf(captures, value)) {
      const body = { capture_id: capture.id, ...place }
      await attempt((people[capture.by] as Call)(evidenceApi.addEvidence, { params: { id }, body }))
    }
}

/** Quotes the sentence of a narrative's triplet as evidence of the IOD that was made from it. */
export const quoteTriplet = async (
  call: Call,
  iod: Iod,
  narrative: { id: string; text: string },
  tripletId: number,
  attempt: (work: Promise<unknown>) => Promise<void>,
): Promise<void> => {
  const citations = await call(narrativesApi.listCitations, { params: { id: narrative.id } })
  const found = citations.find(({ triplet_id }) => triplet_id === tripletId)
  if (!found) return
  const { start, end } = found
  const body = { narrative_id: narrative.id, start, end, exact: narrative.text.slice(start, end) }
  await attempt(call(evidenceApi.addEvidence, { params: { id: iod.id }, body }))
}
