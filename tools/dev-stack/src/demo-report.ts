import { authConfigSchema } from '@iodine/auth'
import { demoAccounts, publishDemo, signInDemo } from '@iodine/demo'
import { connectMongo, readConfig } from '@iodine/service-kit'
import type { Stack } from './stack.js'

/** Returns the id of an access token's session. */
const sessionOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid

/**
 * Publishes the demo's report, unless REPORTS is off. The demo has neither passkeys nor 72 hours, so this writes to the
 * databases that a passkey opened its own session, and that the wait is over.
 */
export const addDemoReport = async (
  { url, parts }: Stack,
  adminEmail: string,
  signInToken: (email: string) => Promise<string>,
): Promise<void> => {
  if (parts.campaigns.env.REPORTS === 'off') return
  const { MONGODB_URI, MONGODB_PREFIX } = readConfig(authConfigSchema, parts.auth.env)
  const [auth, campaigns] = await Promise.all(
    ['auth', 'campaigns'].map(name => connectMongo(MONGODB_URI, `${MONGODB_PREFIX}_${name}`)),
  )
  if (!auth || !campaigns) return
  try {
    const [first] = demoAccounts
    const author = await signInDemo({ url, signInToken }, first?.email ?? adminEmail)
    const admin = await signInDemo({ url, signInToken }, adminEmail)
    const session = { _id: sessionOf(admin.token) as never }
    await auth.collection('sessions').updateOne(session, { $set: { by: 'passkey' } })
    const endWait = async (slug: string) => {
      const report = await campaigns.collection('reports').findOne({ slug })
      await campaigns
        .collection('report_versions')
        .updateOne({ report_id: report?._id, state: 'review' }, { $set: { approvable_at: new Date() } })
    }
    await publishDemo(author.call, admin.call, { endWait }).finally(() =>
      auth.collection('sessions').updateOne(session, { $set: { by: 'link' } }),
    )
  } finally {
    await Promise.all([auth.close(), campaigns.close()])
  }
}
