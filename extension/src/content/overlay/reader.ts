import { sendRequest } from '../../shared/messages'
import { isConnected } from './dom'
import { type FoundValue, foundValues, type KnownText } from './known-texts'
import { blockOf, type PageText, readTexts } from './page-texts'

/** Maximum time on the page's main thread before the reading yields. */
const SLICE_MS = 6
/** Minimum delay after a change, so that changes are read together. */
const CHANGES_MS = 250
/** Reading takes at most 1/SHARE of the time. */
const SHARE = 50
/** Maximum tracked changes; beyond it, the whole page is read. */
const CHANGED_MAX = 1_000
/** Approximate maximum of characters in one message. */
const BATCH_CHARACTERS = 250_000

const pause = () => new Promise(resolve => setTimeout(resolve))

/** Creates the store of the blocks' texts and of the values found in them. */
const createResults = (
  report: (block: Element, texts: readonly KnownText[]) => void,
  isOn: () => boolean,
) => {
  const known = new Map<Element, readonly KnownText[]>()
  /** Results of comparisons, including empty ones, by block and text: an unchanged text is not compared again. */
  let compared = new WeakMap<Element, Map<string, readonly FoundValue[]>>()
  /** Results before the last refresh, used until their texts are compared again. */
  let before = compared

  const keep = (block: Element, texts: readonly KnownText[]) => {
    if (texts.length > 0) known.set(block, texts)
    else if (!known.delete(block)) return
    report(block, texts)
  }

  /** Stores a block's texts, and adds texts without a result to `missing`. */
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
    for (let start = 0; start < missing.length && isOn(); ) {
      let characters = 0
      let end = start
      while (end < missing.length && (end === start || characters < BATCH_CHARACTERS))
        characters += missing[end++]?.text.length ?? 0
      const batch = missing.slice(start, end)
      start = end
      const values = foundValues(await sendRequest('scan', { texts: batch.map(({ text }) => text) }))
      if (!isOn()) return
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

  return {
    known,
    put,
    compare,
    /** Has all texts compared again. */
    refresh() {
      before = compared
      compared = new WeakMap()
    },
    /** Forgets the blocks that are no longer in the page, or all. */
    drop(isAll: boolean) {
      for (const block of known.keys()) if (isAll || !isConnected(block)) keep(block, [])
    },
  }
}

/** Creates the record of the page's unread changes. */
const createChanges = () => {
  let isAll = false
  const nodes = new Set<Node>()
  const added = new Set<Element>()

  return {
    all() {
      isAll = true
    },
    add(records: readonly MutationRecord[]) {
      for (const { target, addedNodes } of isAll ? [] : records) {
        nodes.add(target)
        for (const node of addedNodes) if (node instanceof Element) added.add(node)
        if (nodes.size + added.size > CHANGED_MAX) isAll = true
      }
    },
    any: () => isAll || nodes.size + added.size > 0,
    /** Returns the changed blocks, and whether to include nested blocks; forgets the changes. */
    take(): Map<Element, boolean> {
      const blocks = new Map<Element, boolean>()
      if (isAll) blocks.set(document.body, true)
      else {
        for (const node of nodes) {
          const block = blockOf(node)
          if (block) blocks.set(block, false)
        }
        for (const element of added) if (blockOf(element)) blocks.set(element, true)
      }
      isAll = false
      nodes.clear()
      added.clear()
      return blocks
    },
  }
}

/**
 * Creates the reader, which reads a page's texts initially and on change, and has the background compare them.
 * @param report receives the known values of a block whenever they change; an empty list for none
 * @param changed is called on each change of the page
 */
export const createReader = (
  report: (block: Element, texts: readonly KnownText[]) => void,
  changed: () => void,
) => {
  let isOn = false
  const results = createResults(report, () => isOn)
  const changes = createChanges()
  let working: Promise<void> | undefined
  /** Earliest time of the next reading. */
  let readAfter = 0

  const read = async () => {
    const missing: KnownText[] = []
    let begun = performance.now()
    let spent = 0
    for (const [root, isDeep] of changes.take()) {
      if (!isConnected(root)) continue
      for (const [block, texts] of readTexts(root, isDeep)) {
        results.put(block, texts, missing)
        const slice = performance.now() - begun
        if (slice < SLICE_MS) continue
        spent += slice
        await pause()
        if (!isOn) return
        begun = performance.now()
      }
    }
    results.drop(false)
    const now = performance.now()
    readAfter = now + SHARE * (spent + now - begun)
    await results.compare(missing)
  }

  const readSoon = () => {
    if (working || !isOn) return
    const wait = Math.max(CHANGES_MS, readAfter - performance.now())
    working = new Promise(resolve => setTimeout(resolve, wait))
      .then(() => (isOn ? read() : undefined))
      // The extension was updated or removed: this script is orphaned.
      .catch(() => chrome.runtime?.id || stop())
      .then(() => {
        working = undefined
        if (changes.any()) readSoon()
      })
  }

  const observer = new MutationObserver(records => {
    changes.add(records)
    readSoon()
    changed()
  })

  const readAll = () => {
    results.refresh()
    changes.all()
    readSoon()
  }

  const stop = () => {
    isOn = false
    observer.disconnect()
    results.drop(true)
  }

  return {
    /** Blocks with known values, in the order in which they were found. */
    known: results.known as ReadonlyMap<Element, readonly KnownText[]>,
    start() {
      isOn = true
      readAfter = 0
      observer.observe(document.body, { childList: true, subtree: true, characterData: true })
      readAll()
    },
    stop,
    /** Compares the page again, after new IODs are known. */
    refresh() {
      if (isOn) readAll()
    },
  }
}
