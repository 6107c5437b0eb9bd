import { ask } from '../../shared/messages'
import { isConnected } from './dom'
import { type FoundValue, foundValues, type KnownText } from './known-texts'
import { blockOf, type PageText, readTexts } from './page-texts'

/** Work on the page's own thread stops after so long, and goes on later. */
const SLICE_MS = 6
/** Changes are read together, at least so long after the first. */
const CHANGES_MS = 250
/** Reading takes one part in so many of the time at most. */
const SHARE = 50
/** Changes that are kept one by one; of more the page is read whole. */
const CHANGED_MAX = 1_000
/** Characters of texts in one message. */
const BATCH_CHARACTERS = 250_000

const pause = () => new Promise(resolve => setTimeout(resolve))

/**
 * Reads a page's texts, now and whenever they change, and has them compared with what is known.
 * @param report is told the known values of a block whenever they are others: an empty list for none
 * @param changed is told of each change of the page
 */
export const createReader = (
  report: (block: Element, texts: readonly KnownText[]) => void,
  changed: () => void,
) => {
  const known = new Map<Element, readonly KnownText[]>()
  /** Texts that were compared, known or not: those of a block that is read again are not compared again. */
  let compared = new WeakMap<Element, Map<string, readonly FoundValue[]>>()
  /** Those before the last refresh, which stand until their texts are compared again. */
  let before = compared
  let isOn = false
  // What has changed, until it is read.
  let isAll = false
  const nodes = new Set<Node>()
  const added = new Set<Element>()
  let working: Promise<void> | undefined
  /** When the page's thread has rested from the last reading. */
  let readAfter = 0

  const keep = (block: Element, texts: readonly KnownText[]) => {
    if (texts.length > 0) known.set(block, texts)
    else if (!known.delete(block)) return
    report(block, texts)
  }

  /** Takes a block's texts in, and adds those that must be compared to the missing ones. */
  const put = (block: Element, texts: readonly PageText[], missing: KnownText[]) => {
    const seen = compared.get(block)
    const kept = new Map<string, readonly FoundValue[]>()
    const has: KnownText[] = []
    for (const text of texts) {
      const found = seen?.get(text.text)
      const last = { ...text, found: found ?? before.get(block)?.get(text.text) ?? [] }
      if (found) kept.set(text.text, found)
      else missing.push(last)
      if (last.found.length > 0) has.push(last)
    }
    compared.set(block, kept)
    keep(block, has)
  }

  const compare = async (missing: readonly KnownText[]) => {
    for (let start = 0; start < missing.length && isOn; ) {
      let characters = 0
      let end = start
      while (end < missing.length && (end === start || characters < BATCH_CHARACTERS))
        characters += missing[end++]?.text.length ?? 0
      const batch = missing.slice(start, end)
      start = end
      const values = foundValues(await ask('scan', { texts: batch.map(({ text }) => text) }))
      if (!isOn) return
      for (const [n, text] of batch.entries()) {
        const { block } = text
        const found = values[n] ?? []
        compared.get(block)?.set(text.text, found)
        const others = (known.get(block) ?? []).filter(each => each !== text)
        if (found.length > 0) keep(block, [...others, { ...text, found }])
        else if (others.length < (known.get(block)?.length ?? 0)) keep(block, others)
      }
    }
  }

  /** The blocks to be read again, and whether with all that is in them. */
  const changedBlocks = (): Map<Element, boolean> => {
    const blocks = new Map<Element, boolean>()
    for (const node of nodes) {
      const block = blockOf(node)
      if (block) blocks.set(block, false)
    }
    for (const element of added) if (blockOf(element)) blocks.set(element, true)
    return blocks
  }

  const read = async () => {
    const roots = isAll ? new Map([[document.body as Element, true]]) : changedBlocks()
    isAll = false
    nodes.clear()
    added.clear()
    const missing: KnownText[] = []
    let begun = performance.now()
    let spent = 0
    for (const [root, isDeep] of roots) {
      if (!isConnected(root)) continue
      for (const [block, texts] of readTexts(root, isDeep)) {
        put(block, texts, missing)
        const slice = performance.now() - begun
        if (slice < SLICE_MS) continue
        spent += slice
        await pause()
        if (!isOn) return
        begun = performance.now()
      }
    }
    for (const block of known.keys()) if (!isConnected(block)) keep(block, [])
    const now = performance.now()
    readAfter = now + SHARE * (spent + now - begun)
    await compare(missing)
  }

  const readSoon = () => {
    if (working || !isOn) return
    const wait = Math.max(CHANGES_MS, readAfter - performance.now())
    working = new Promise(resolve => setTimeout(resolve, wait))
      .then(() => (isOn ? read() : undefined))
      // The extension has been updated or removed: this script belongs to nobody any more.
      .catch(() => chrome.runtime?.id || stop())
      .then(() => {
        working = undefined
        if (isAll || nodes.size + added.size > 0) readSoon()
      })
  }

  const observer = new MutationObserver(records => {
    for (const { target, addedNodes } of isAll ? [] : records) {
      nodes.add(target)
      for (const node of addedNodes) if (node instanceof Element) added.add(node)
      if (nodes.size + added.size > CHANGED_MAX) isAll = true
    }
    readSoon()
    changed()
  })

  const readAll = () => {
    before = compared
    compared = new WeakMap()
    isAll = true
    readSoon()
  }

  const stop = () => {
    isOn = false
    observer.disconnect()
    for (const block of known.keys()) keep(block, [])
  }

  return {
    /** Blocks with known values, in the order in which they were found. */
    known: known as ReadonlyMap<Element, readonly KnownText[]>,
    start() {
      isOn = true
      readAfter = 0
      observer.observe(document.body, { childList: true, subtree: true, characterData: true })
      readAll()
    },
    stop,
    /** Compares the page again: more is known. */
    refresh() {
      if (isOn) readAll()
    },
  }
}
