import { notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { CollectorModels } from '../../models.js'
import type { CaptureDoc } from '../models/capture.js'

type Captures = Pick<CollectorModels, 'captures'>

/** A capture that is not erased. */
export type ReadableCapture = CaptureDoc & Required<Pick<CaptureDoc, 'manifest' | 'manifest_hash' | 'salt'>>

const isReadable = (doc: CaptureDoc): doc is ReadableCapture =>
  doc.state !== 'erased' && doc.manifest !== undefined

export const isOwn = ({ user_id }: Pick<CaptureDoc, 'user_id'>, userId: string): boolean =>
  user_id?.toHexString() === userId

/**
 * Returns a capture that the user may read: the user's own, or a sealed and shared one.
 * @throws HttpError 404 for any other
 */
export const readableCapture = async (
  { captures }: Captures,
  userId: string,
  id: string,
): Promise<ReadableCapture> => {
  const doc = await captures.findById(id).lean<CaptureDoc>()
  if (!doc || !isReadable(doc)) throw notFound()
  if (!isOwn(doc, userId) && !(doc.shared && doc.state === 'sealed')) throw notFound()
  return doc
}

/** Returns one of the user's own captures. @throws HttpError 404 for any other */
export const ownCapture = async (
  { captures }: Captures,
  userId: string,
  id: string,
): Promise<ReadableCapture> => {
  const doc = await captures.findOne({ _id: id, user_id: new Types.ObjectId(userId) }).lean<CaptureDoc>()
  if (!doc || !isReadable(doc)) throw notFound()
  return doc
}
