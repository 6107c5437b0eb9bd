import { LIMITS } from '@iodine/contracts'
import { sha256Hex } from '@iodine/evidence'
import { BoundedMap } from '../shared/bounded'
import type { PictureParts } from '../shared/messages'

const PICTURE_MS = 8_000
const PICTURE_BYTES_MAX = 20_000_000
const PICTURES_AT_ONCE = 6
/** Maximum base64 characters of pictures in one message. */
export const PICTURE_CHARACTERS_MAX = 24_000_000

interface Picture {
  sha256: string
  type: string
  bytes: Uint8Array<ArrayBuffer>
}

/** Maximum remembered URLs, per map. */
const REMEMBERED_MAX = 5_000
const hashed = new BoundedMap<string, string>(REMEMBERED_MAX)
const unreadable = new BoundedMap<string, true>(REMEMBERED_MAX)

/** Allows a retry of unreadable pictures, on a user's action. */
export const retryUnreadable = (): void => unreadable.clear()

const load = async (address: string, signal: AbortSignal): Promise<Picture | undefined> => {
  const response = await fetch(address, { cache: 'force-cache', credentials: 'same-origin', signal })
  if (!response.ok || Number(response.headers.get('content-length') ?? 0) > PICTURE_BYTES_MAX)
    return undefined
  const loaded = new Uint8Array(await response.arrayBuffer())
  // Firefox forbids `subarray` on the buffer of a response, which belongs to the page.
  const bytes = new Uint8Array(loaded.length)
  bytes.set(loaded)
  if (bytes.length === 0 || bytes.length > PICTURE_BYTES_MAX) return undefined
  const type = (response.headers.get('content-type') ?? '').replace(/;.*/s, '').trim().toLowerCase()
  return { sha256: await sha256Hex(bytes), type, bytes }
}

let loading = 0
const waiting: (() => void)[] = []

/** Loads a picture, a few at a time. Resolves to undefined if the page may not read it, which is tried once. */
const pictureOf = async (address: string, signal: AbortSignal): Promise<Picture | undefined> => {
  if (loading >= PICTURES_AT_ONCE) await new Promise<void>(resolve => waiting.push(resolve))
  loading += 1
  try {
    if (signal.aborted || unreadable.has(address)) return undefined
    const picture = await load(address, signal).catch(() => undefined)
    if (picture) hashed.set(address, picture.sha256)
    else unreadable.set(address, true)
    return picture
  } finally {
    loading -= 1
    waiting.shift()?.()
  }
}

/**
 * Returns the hashes of pictures by URL, as far as they are known or read before the timeout. Each picture is read once
 * per page.
 */
export const hashAll = async (addresses: readonly string[], reads = true): Promise<Map<string, string>> => {
  const isNew = (address: string) => reads && !hashed.has(address) && !unreadable.has(address)
  const wanted = addresses.filter(isNew)
  const signal = wanted.length > 0 ? AbortSignal.timeout(PICTURE_MS) : undefined
  if (signal) await Promise.all(wanted.map(address => pictureOf(address, signal)))
  return new Map(
    addresses.flatMap((address): [string, string][] => {
      const hash = hashed.get(address)
      return hash === undefined ? [] : [[address, hash]]
    }),
  )
}

/** Encodes bytes as base64, in chunks because of the limit for arguments. */
const toBase64 = (bytes: Uint8Array): string => {
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += 32_768)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 32_768)))
  return btoa(pieces.join(''))
}

/**
 * Reads pictures for a message. Large ones, and those beyond the budget, have only their hash.
 * @param budget remaining base64 characters of the message; reduced by the used ones
 */
export const readPictures = async (
  addresses: readonly string[],
  budget: { left: number },
  ms = PICTURE_MS,
): Promise<{ pictures: PictureParts[]; unread: number }> => {
  const signal = AbortSignal.timeout(ms)
  const found = new Map<string, PictureParts>()
  await Promise.all(
    addresses.map(async url => {
      const picture = await pictureOf(url, signal)
      if (!picture) return
      const { sha256, type, bytes } = picture
      const isHeld = bytes.length <= LIMITS.mediaBytes && bytes.length * 1.4 <= budget.left
      if (isHeld) budget.left -= bytes.length * 1.4
      found.set(url, { url, type, sha256, bytes: bytes.length, ...(isHeld && { base64: toBase64(bytes) }) })
    }),
  )
  const pictures = addresses.flatMap(address => found.get(address) ?? [])
  return { pictures, unread: addresses.length - pictures.length }
}
