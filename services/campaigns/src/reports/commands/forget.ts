import type { PersonalSource } from '@iodine/service-kit'
import { personalSource } from '@iodine/service-kit'
import type { ClientSession, Types } from 'mongoose'
import type { Store } from '../../models.js'
import type { ReportDoc } from '../models/report.js'
import { dropReview } from './edit-report.js'
import { markUnderRevision } from './review.js'

/** Deletes reports that were never published, with their files, and returns the bytes. */
const deleteDrafts = async (
  store: Store,
  which: { campaign_id: Types.ObjectId } | { user_id: Types.ObjectId },
  ...[session, take]: Parameters<Parameters<Store['quotas']['settle']>[0]>
): Promise<void> => {
  const docs = await store.reports
    .find({ ...which, latest: null }, { _id: 1 })
    .session(session)
    .lean<Pick<ReportDoc, '_id'>[]>()
  for (const doc of docs) {
    await dropReview(store, doc, session, take)
    await store.reportDecisions.deleteMany({ report_id: doc._id }, { session })
    await store.reports.deleteOne({ _id: doc._id, latest: null }, { session })
  }
}

/** Deletes the drafts of a deleted campaign, and hides its published reports until an administrator decides. */
export const forgetCampaign = async (store: Store, campaign_id: Types.ObjectId): Promise<void> => {
  await store.quotas.settle((session, take) => deleteDrafts(store, { campaign_id }, session, take))
  await markUnderRevision(store, { campaign_id }, 'deletion')
}

/** Removes a user's id from the reports, and hides those that name the user as their author. */
const unnameUser = async (store: Store, userId: Types.ObjectId, session: ClientSession): Promise<void> => {
  const { reports, reportVersions, reportDecisions } = store
  await reports.updateMany(
    { user_id: userId, 'draft.signed': true, withdrawn: null },
    { $set: { revision: 'account', 'draft.signed': false } },
    { session },
  )
  await reports.updateMany({ user_id: userId }, { $set: { user_id: null } }, { session })
  await reportVersions.updateMany({ user_id: userId }, { $set: { user_id: null } }, { session })
  await reportVersions.updateMany({ approved_by: userId }, { $set: { approved_by: null } }, { session })
  const user = userId.toHexString()
  await reportVersions.updateMany(
    { 'sources.users': user },
    { $pull: { 'sources.users': user, 'sources.owned': { user } } as never },
    { session },
  )
  await reportDecisions.updateMany({ by: userId }, { $set: { by: null } }, { session })
}

/** Deletes a deleted user's drafts, and removes their id from published reports, which remain. */
export const forgetAuthor = (store: Store, userId: Types.ObjectId): Promise<void> =>
  store.quotas.settle(async (session, take) => {
    await deleteDrafts(store, { user_id: userId }, session, take)
    await unnameUser(store, userId, session)
  })

/** Returns the sources of a user's reports for the data export. */
export const personalReports = ({ reports }: Pick<Store, 'reports'>): PersonalSource[] => [
  personalSource('report', reports, user_id => ({ user_id })),
]
