import { refang, type SightingSearch } from '@iodine/contracts'
import { notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { SightingModels } from '../../models.js'
import type { SightingDoc } from '../models/sighting.js'
import { canonicalLink, canonicalLinkOf } from '../policies/canonical-link.js'
import { hashKey, isBlank, looksKeys } from '../policies/media-keys.js'
import { type Sign, signed } from '../policies/signed.js'
import { type Question, signatureIn } from './candidates.js'

/** Media of a record that a search by it looks for. */
const LOOKS_MAX = 16
const HASHES_MAX = 100

const HASH = /^[0-9a-f]{64}$/i

const textQuestion = (sign: Sign, text: string): Question => {
  const { exact, ...signature } = signed(sign, text)
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
/** Either kind of hash has 64 digits. */
const mediaQuestion = (hash: string): Question => {
  const digits = hash.toLowerCase()
  const looks = isBlank(digits) ? [] : [digits]
  return { links: [], media: [hashKey(digits), ...looks.flatMap(looksKeys)], phashes: looks }
}

/** Values of IODs are texts, addresses (also defanged or without a scheme), or hashes. */
export const valueQuestion = (sign: Sign, given: string): Question => {
  const value = given.trim()
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
      ...doc.phashes.slice(0, LOOKS_MAX).flatMap(looksKeys),
    ],
    phashes: doc.phashes.slice(0, LOOKS_MAX),
    post_key: doc.post_key,
    ...(origin !== null && { origin }),
    ...(named !== null && { named }),
  }
}

/** What a search looks for. Throws 404 for a record that is not the user's, or not indexed yet. */
export const questionOf = async (
  { sightings }: SightingModels,
  sign: Sign,
  owner: Types.ObjectId,
  { value, text, url, media, record_id }: SightingSearch,
): Promise<Question> => {
  if (record_id !== undefined) {
    const doc = await sightings.findOne({ _id: new Types.ObjectId(record_id), owner }).lean<SightingDoc>()
    if (!doc) throw notFound()
    return recordQuestion(doc)
  }
  if (text !== undefined) return textQuestion(sign, text)
  if (url !== undefined) return linkQuestion(url)
  if (media !== undefined) return mediaQuestion(media)
  return valueQuestion(sign, value ?? '')
}
