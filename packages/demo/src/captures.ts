import {
  type Capture,
  type Client,
  capturesApi,
  evidenceApi,
  type Iod,
  type Manifest,
  narrativesApi,
} from '@iodine/contracts'
import { anchorQuote, canonicalJson, sha256Hex } from '@iodine/evidence'
import { captureDom, PROJECTION, projectText } from '@iodine/evidence/dom'
import { Window } from 'happy-dom'
import { type DemoPage, demoPages } from './pages.js'

type Call = Client['call']
/** Node's types lack `Element`. */
type Root = Parameters<typeof captureDom>[0]

/** Maximum pieces of evidence per IOD. */
const EVIDENCE_MAX = 2

/** A page with the id and text of its capture in the collector's service. */
export interface DemoCapture extends DemoPage {
  id: Capture['id']
  text: string
}

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** Returns the content of a page's capture, by blob role. */
export const contentOf = ({ html, record }: DemoPage) => {
  const { document } = new Window({ settings: { disableJavaScriptEvaluation: true } })
  document.body.innerHTML = html
  const root = document.body.firstElementChild as unknown as Root
  return { text: projectText(root), dom: captureDom(root), record: canonicalJson(record) }
}

const TYPES = { text: 'text/plain', dom: 'text/html', record: 'application/json' } as const

/**
 * Captures and seals the demo pages, each as its account. Existing captures stay unchanged.
 * @param people API clients, by index of the account
 */
export const captureDemo = async (people: readonly Call[]): Promise<DemoCapture[]> => {
  const captures: DemoCapture[] = []
  // Sequential: an account may have only a few unsealed captures.
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
    // Share only new captures: the owner may have changed existing ones.
    if (page.shared && missing.length > 0)
      await call(capturesApi.shareCapture, { params: { id }, body: { shared: true } })
    captures.push({ ...page, id, text: content.text })
  }
  return captures
}

/** Returns the first quotes of a value in captures, at most one per capture. */
export const quotesOf = <C extends { text: string }>(captures: readonly C[], value: string) =>
  captures
    .flatMap(capture => {
      const range = anchorQuote(capture.text, { exact: value })
      return range ? [{ capture, ...range, exact: capture.text.slice(range.start, range.end) }] : []
    })
    .slice(0, EVIDENCE_MAX)

/**
 * Quotes the captures as evidence of the IODs whose value they contain, each as the account that captured it.
 * @param attempt ignores conflicts with existing evidence
 */
export const quoteDemo = async (
  people: readonly Call[],
  captures: readonly DemoCapture[],
  iods: readonly Iod[],
  attempt: (work: Promise<unknown>) => Promise<void>,
): Promise<void> => {
  for (const { id, value } of iods)
    for (const { capture, ...quote } of quotesOf(captures, value)) {
      const body = { capture_id: capture.id, ...quote }
      await attempt((people[capture.by] as Call)(evidenceApi.addEvidence, { params: { id }, body }))
    }
}

/** Quotes the sentence of a narrative's triplet as evidence of the IOD that was created from it. */
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
