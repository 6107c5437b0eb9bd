import { Inflate, Unzip, type UnzipDecoder, UnzipInflate } from 'fflate'
import { RefusedError } from '../refused.js'
import { joinBytes } from '../text/decode.js'
import { pieces, UnpackedBytes } from './limits.js'

/** fflate takes longer for each further entry. */
const ENTRIES_MAX = 50_000
const HEAD_MAX = 262_144

export interface ZipEntry {
  /** Path in the archive, with `/`. Never above the root. */
  name: string
  content: AsyncGenerator<Uint8Array, void, undefined>
}

type Event = { name: string } | { bytes: Uint8Array } | 'end'

/** Returns whether an entry's path stays below the root and is not an archive or a file of the system. */
export const isSafeName = (name: string): boolean =>
  !/^(?:[/\\]|[a-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)|\0/i.test(name) &&
  !/^__MACOSX[/\\]|(?:^|[/\\])\._|[/\\]$|\.zip$/i.test(name)

/** Returns the names of the entries whose headers the first bytes of a zip file contain (APPNOTE.TXT, 4.3.7). */
export const zipNames = (head: Uint8Array): string[] => {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const names: string[] = []
  let at = 0
  while (at + 30 <= head.length) {
    if (view.getUint32(at, true) !== 0x04034b50) {
      at += 1
      continue
    }
    const [flags, size] = [view.getUint16(at + 6, true), view.getUint32(at + 18, true)]
    const [nameLength, extraLength] = [view.getUint16(at + 26, true), view.getUint16(at + 28, true)]
    names.push(new TextDecoder().decode(head.subarray(at + 30, at + 30 + nameLength)))
    at += 30 + nameLength + extraLength
    // With a data descriptor the size follows the content.
    if (!(flags & 8) && size !== 0xffffffff) at += size
  }
  return names
}

/** Unpacks the beginning of an entry as far as the first bytes of a zip file reach: at most 262,144 bytes. */
export const zipHead = (head: Uint8Array, name: string): Uint8Array => {
  const parts: Uint8Array[] = []
  let length = 0
  const unzip = new Unzip(file => {
    if (file.name.replaceAll('\\', '/') !== name) return
    file.ondata = (error, chunk) => {
      if (error || length > HEAD_MAX) return
      parts.push(chunk.slice())
      length += chunk.length
    }
    file.start()
  })
  unzip.register(UnzipInflate)
  try {
    for (let at = 0; at < head.length && length < HEAD_MAX; at += 512) unzip.push(head.subarray(at, at + 512))
  } catch {
    // What is unpacked so far is recognised.
  }
  return joinBytes(parts).subarray(0, HEAD_MAX)
}

/**
 * Reads the chosen entries of a zip file in their order; others are passed over without unpacking. The content of an
 * entry must be read before the next entry.
 * @throws RefusedError for damaged data, above 50,000 entries, and above the limits of `UnpackedBytes`
 */
export async function* zipEntries(
  chunks: AsyncIterable<Uint8Array>,
  isChosen: (name: string) => boolean,
): AsyncGenerator<ZipEntry, void, undefined> {
  const bytes = new UnpackedBytes()
  const events: Event[] = []
  let entries = 0
  const unzip = new Unzip(file => {
    entries += 1
    if (entries > ENTRIES_MAX)
      throw new RefusedError(`The archive has more than ${ENTRIES_MAX.toLocaleString('en')} entries`)
    const name = file.name.replaceAll('\\', '/')
    const chosen = isSafeName(file.name) && isChosen(name)
    if (chosen) events.push({ name })
    file.ondata = (error, chunk, isLast) => {
      if (!chosen) return
      if (error) throw error
      if (chunk.length > 0) {
        bytes.addUnpacked(chunk.length)
        events.push({ bytes: chunk.slice() })
      }
      if (isLast) events.push('end')
    }
    current = chosen
    file.start()
  })
  // A decoder learns its entry's name alone, so the choice is passed beside it.
  let current = false
  unzip.register(decoderOf(0, () => current))
  unzip.register(decoderOf(8, () => current))

  const source = pieces(chunks)
  let isOver = false
  const pull = async (): Promise<Event | undefined> => {
    while (events.length === 0 && !isOver) {
      const { done, value } = await source.next()
      isOver = done === true
      bytes.addPacked(value?.length ?? 0)
      try {
        unzip.push(value ?? new Uint8Array(), isOver)
      } catch (error) {
        if (error instanceof RefusedError) throw error
        throw new RefusedError('The zip file is damaged, encrypted or cut')
      }
    }
    return events.shift()
  }
  const contentOf = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const event = await pull()
      if (event === undefined) throw new RefusedError('The zip file is cut')
      if (event === 'end') return
      if ('bytes' in event) yield event.bytes
    }
  }
  try {
    for (;;) {
      const event = await pull()
      if (event === undefined) return
      if (event === 'end' || !('name' in event)) continue
      yield { name: event.name, content: contentOf() }
    }
  } finally {
    await source.return(undefined)
  }
}

/** Returns a decoder of a compression method that unpacks the chosen entries and passes over the others. */
const decoderOf = (method: 0 | 8, isChosen: () => boolean) =>
  class Decoder implements UnzipDecoder {
    static compression = method
    ondata: UnzipDecoder['ondata'] = () => undefined
    readonly #inflate =
      method === 8 && isChosen()
        ? new Inflate((chunk, isLast) => this.ondata(null, chunk, isLast))
        : undefined
    readonly #isChosen = isChosen()

    push(chunk: Uint8Array, isLast: boolean): void {
      if (this.#inflate) this.#inflate.push(chunk, isLast)
      else this.ondata(null, this.#isChosen ? chunk.slice() : new Uint8Array(), isLast)
    }
  }
