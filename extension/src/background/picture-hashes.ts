import type { RecordContext } from '@iodine/contracts'
import { parseUrl } from '@iodine/contracts'
import { sha256Hex } from '@iodine/evidence'
import { imageHash } from '@iodine/likeness'
import { BoundedMap } from '../shared/bounded'
import type { Captured } from '../sources'

/** Hashes of a picture. */
export interface PictureHashes {
  sha256: string
  /** Perceptual hash; absent if the browser cannot decode the picture. */
  phash?: string
}

/** Maximum pictures that are read per record. Further ones are sent without hashes. */
const PICTURES_MAX = 20
/** Timeout for all pictures of a message. The record is queued afterwards. */
const PICTURES_MS = 6_000
const BYTES_MAX = 10_000_000
/** Side of the drawn picture in pixels. The hash has 16 × 16 blocks. */
const SIDE = 256
const AT_ONCE = 4
const KNOWN_MAX = 2_000

const phashOf = async (bytes: Uint8Array<ArrayBuffer>, type: string): Promise<string | undefined> => {
  try {
    const bitmap = await createImageBitmap(new Blob([bytes], { type }), {
      resizeWidth: SIDE,
      resizeHeight: SIDE,
    })
    const canvas = new OffscreenCanvas(SIDE, SIDE).getContext('2d', { willReadFrequently: true })
    canvas?.drawImage(bitmap, 0, 0)
    bitmap.close()
    const { width, height, data } = canvas?.getImageData(0, 0, SIDE, SIDE) ?? new ImageData(1, 1)
    return imageHash({ width, height, data })
  } catch {
    return undefined
  }
}

const hashesOf = async (address: string, signal: AbortSignal): Promise<PictureHashes | undefined> => {
  try {
    const response = await fetch(address, { cache: 'force-cache', credentials: 'omit', signal })
    if (!response.ok || Number(response.headers.get('content-length') ?? 0) > BYTES_MAX) return undefined
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (bytes.length === 0 || bytes.length > BYTES_MAX) return undefined
    const phash = await phashOf(bytes, response.headers.get('content-type') ?? '')
    return { sha256: await sha256Hex(bytes), ...(phash && { phash }) }
  } catch {
    return undefined
  }
}

/** Returns whether the user permits the extension to read a URL. */
const mayRead = async (address: string): Promise<boolean> => {
  const url = parseUrl(address)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return false
  return chrome.permissions.contains({ origins: [`${url.protocol}//${url.hostname}/*`] })
}

/**
 * Creates a hasher that reads pictures in the background, since a page may not read those of other hosts. It reads
 * only permitted hosts, sends no cookies and requests each picture once while this script runs.
 * @param timeoutMs timeout for all pictures of a message
 * @returns adds to records the hashes of the pictures that were read in time
 */
export const createPictureHasher = (timeoutMs = PICTURES_MS) => {
  /** Hashes by URL; empty for a picture that could not be read. */
  const known = new BoundedMap<string, Partial<PictureHashes>>(KNOWN_MAX)

  const read = async (addresses: readonly string[]): Promise<void> => {
    const signal = AbortSignal.timeout(timeoutMs)
    const waiting = [...addresses]
    const go = async () => {
      for (let url = waiting.shift(); url !== undefined && !signal.aborted; url = waiting.shift()) {
        if (await mayRead(url)) known.set(url, (await hashesOf(url, signal)) ?? {})
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, go))
  }

  const mediaOf = ({ record }: Captured) => record.context?.media ?? []
  return async (captured: readonly Captured[]): Promise<Captured[]> => {
    const addresses = captured.flatMap(each =>
      mediaOf(each)
        .slice(0, PICTURES_MAX)
        .flatMap(({ url }) => (url ? [url] : [])),
    )
    const isNew = (address: string) => !known.has(address)
    const wanted = new Map(addresses.filter(isNew).map(address => [address, address]))
    if (wanted.size > 0) await read([...wanted.values()])
    return captured.map((each): Captured => {
      const media: RecordContext['media'] = mediaOf(each).map(medium => ({
        ...medium,
        ...known.get(medium.url ?? ''),
      }))
      if (media.length === 0) return each
      const record = { ...each.record, context: { ...each.record.context, media } }
      return { ...each, record } as Captured
    })
  }
}
