import { canonicalLink, canonicalLinkOf, refang, type SightingSearch } from '@iodine/contracts'
import { notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { SightingModels } from '../../models.js'
import type { SightingDoc } from '../models/sighting.js'
import { hashKey, isBlank, phashKeys } from '../policies/media-keys.js'
import { type Sign, signText } from '../policies/signatures.js'
import { type Question, signatureIn } from './candidates.js'

/** Maximum number of a record's media that a search by record looks for. */
const PHASHES_MAX = 16
const HASHES_MAX = 100

const HASH = /^[0-9a-f]{64}$/i

const textQuestion = (sign: Sign, text: string): Question => {
  const { exact, ...signature } = signText(sign, text)
  return {
    links: [],
    media: [],
    phashes: [],
    ...(exact !== null && { signature: { exact, ...signature }, quoting: { text } }),
  }
}
const linkQuestion = (address: string): Question => {
  const link = canonicalLinkOf(address)
  return { links: link === null ? [] : [link], media: [], phashes: [] }
}
/** Searches for SHA-256 and perceptual hash: both have 64 digits. */
const mediaQuestion = (hash: string): Question => {
  const digits = hash.toLowerCase()
  const phashes = isBlank(digits) ? [] : [digits]
  return { links: [], media: [hashKey(digits), ...phashes.flatMap(phashKeys)], phashes }
}

/** Returns the search for an IOD's value: a hash, a URL (possibly defanged or without a scheme), or a text. */
export const valueQuestion = (sign: Sign, iodValue: string): Question => {
  const value = iodValue.trim()
  if (HASH.test(value)) return mediaQuestion(value)
  const address = refang(value)
  if (/^(https?|tg):\/\/\S+$/i.test(address)) return linkQuestion(address)
  const isHost = /^[\w-]+(\.[\w-]+)+(:\d+)?([/?#]\S*)?$/.test(address)
  return { ...textQuestion(sign, value), links: isHost ? linkQuestion(address).links : [] }
}

const recordQuestion = (doc: SightingDoc): Question => {
  const origin = canonicalLink(doc.forward?.url)
  const named = canonicalLink(doc.names)
  return {
    ...(doc.exact !== null && {
      signature: signatureIn(doc),
      quoting: { record_id: doc._id.toHexString() },
    }),
    links: doc.self === null ? [] : [doc.self],
    media: [
      ...doc.media.filter(key => key.startsWith('s')).slice(0, HASHES_MAX),
      ...doc.phashes.slice(0, PHASHES_MAX).flatMap(phashKeys),
    ],
    phashes: doc.phashes.slice(0, PHASHES_MAX),
    post_key: doc.post_key,
    ...(origin !== null && { origin }),
    ...(named !== null && { named }),
  }
}

/**
 * Returns the search in terms of the index.
 * @throws HttpError 404 for another user's record, or one that is not indexed yet
 */
export const questionOf = async (
  { sightings }: SightingModels,
  sign: Sign,
  owner: Types.ObjectId,
  { value, text, url, media, record_id }: SightingSearch,
): Promise<Question> => {
  if (record_id !== undefined) {
    const doc = await sightings.findOne({ _id: new Types.ObjectId(record_id), owner }).lean()
    if (!doc) throw notFound()
    return recordQuestion(doc)
  }
  if (text !== undefined) return textQuestion(sign, text)
  if (url !== undefined) return linkQuestion(url)
  if (media !== undefined) return mediaQuestion(media)
  return valueQuestion(sign, value ?? '')
}
