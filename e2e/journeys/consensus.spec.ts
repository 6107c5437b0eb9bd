import { type Iod, iodsApi, type VoteType } from '@iodine/contracts'
import { startTestApp, type TestApp } from '@iodine/harness'
import { type SignedInUser, seededRandom } from '@iodine/test-kit'
import { expect, test } from '@playwright/test'
import { type Db, MongoClient, ObjectId } from 'mongodb'
import { createIod, rowOf } from '../support/iods.js'
import { keepLog } from '../support/keep-log.js'
import { openAs } from '../support/open-as.js'
import { pressEscape } from '../support/press-escape.js'
import { expectFits, SIZES } from '../support/sizes.js'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
/** Number of earlier IODs on which all voters have voted. */
const BEFORE = 8
const RING = ['rita', 'rolf', 'ruth', 'rudi', 'rosa', 'rena', 'ralf', 'rosi']
const PEOPLE = ['paul', 'pia', 'petra']

const REASON =
  '11 votes count like 4.5 independent ones: a group of 8 mostly vote the same within ten minutes of each other on other IODs.'

let app: TestApp
let mongo: MongoClient
let reader: SignedInUser
let voters: SignedInUser[]
/** The ring votes for it, the others against it. */
let contested: Iod
/** All voters except the ring have voted on it. */
let honest: Iod

const database = (service: string): Db => mongo.db(`${app.prefix}_${service}`)

/** Creates a user with a year-old account in the database, and signs the user in with a mailed link. */
const signUpOld = async (name: string): Promise<SignedInUser> => {
  const created_at = new Date(Date.now() - 365 * DAY)
  const seconds = Math.floor(created_at.getTime() / 1_000).toString(16)
  const email = `${name}@example.org`
  await database('auth')
    .collection('users')
    .insertOne({
      _id: new ObjectId(seconds + new ObjectId().toHexString().slice(8)),
      email,
      username: null,
      sealed_ai_key: null,
      created_at,
      last_active_at: new Date(),
      revision: 0,
    })
  return app.signUp(email, name)
}

const vote = ({ api }: SignedInUser, { id }: Iod, vote_type: VoteType) =>
  api.call(iodsApi.voteIod, { params: { id }, body: { vote_type } })

/** Sets the time of each vote on an IOD, by voter. */
const moveVotes = async ({ id }: Iod, timeOf: (name: string) => number) => {
  const iods = database('iods').collection<{ votes: { user_id: ObjectId; created_at: Date }[] }>('iods')
  const found = await iods.findOne({ _id: new ObjectId(id) })
  const nameOf = new Map(voters.map(({ id, username }) => [id, username ?? '']))
  const votes = found?.votes.map(each => ({
    ...each,
    created_at: new Date(timeOf(nameOf.get(each.user_id.toHexString()) ?? '')),
  }))
  await iods.updateOne({ _id: new ObjectId(id) }, { $set: { votes } })
}

test.beforeAll(async () => {
  test.setTimeout(240_000)
  app = await startTestApp()
  mongo = await MongoClient.connect(app.mongoUrl)
  voters = []
  for (const name of [...RING, ...PEOPLE]) voters.push(await signUpOld(name))
  const ring = voters.slice(0, RING.length)
  const people = voters.slice(RING.length)
  reader = await app.signUp('reader@example.org', 'reader')

  const random = seededRandom(7)
  const begin = Date.now() - 5 * DAY
  const earlier: Iod[] = []
  for (let n = 0; n < BEFORE; n++) earlier.push(await createIod(reader, { value: `earlier claim ${n}` }))
  contested = await createIod(reader, { value: 'contested claim' })
  honest = await createIod(reader, { value: 'honest claim' })
  for (const [n, iod] of [...earlier, contested, honest].entries()) {
    const isContested = iod === contested
    if (iod !== honest) await Promise.all(ring.map(each => vote(each, iod, 'POSITIVE')))
    await Promise.all(people.map(each => vote(each, iod, isContested ? 'NEGATIVE' : 'POSITIVE')))
    // The ring votes within nine minutes, the others at least an hour apart.
    const time = begin + n * 6 * 60 * MINUTE
    await moveVotes(iod, name =>
      RING.includes(name) ? time + random() * 9 * MINUTE : time + (PEOPLE.indexOf(name) + 1) * 60 * MINUTE,
    )
  }
  // The vote times were changed in the database: force a full recount of co-votes, as after a week.
  const builds = database('iods').collection<{ _id: number; live: boolean }>('covote_builds')
  const last = await builds.findOne({}, { sort: { _id: -1 } })
  await builds.updateMany({}, { $set: { begun_at: new Date(0) } })
  await expect
    .poll(() => builds.countDocuments({ _id: { $gt: last?._id ?? 0 }, live: true }), { timeout: 60_000 })
    .toBe(1)
})
test.afterEach(() => keepLog(test.info(), app))
test.afterAll(async () => {
  await mongo?.close()
  await app?.stop()
})

test('row, card and details show the independent votes in full', { tag: '@long' }, async ({ page }) => {
  const row = rowOf(page, contested.value)
  for (const size of SIZES) {
    await page.setViewportSize(size)
    await openAs(page, app.url, reader.token, '/dashboard/iods')
    const mark = row.getByText('independent')
    await expect(mark).toBeVisible()
    await expect(mark).toHaveText('11 votes ≈ 4.5 independent')
    const isCut = await mark.evaluate(each => {
      const [inner, cell] = [each, each.closest('td')].map(box => box?.getBoundingClientRect())
      if (!inner || !cell) throw new Error('the mark is in no cell')
      return each.scrollWidth > each.clientWidth || inner.right > cell.right || inner.bottom > cell.bottom
    })
    expect(isCut, `at ${size.width} px`).toBe(false)
    await expectFits(page)
  }
  await row.getByRole('link', { name: contested.value }).click()
  const sentence = page.getByRole('region', { name: 'Votes' }).getByText(REASON)
  await sentence.scrollIntoViewIfNeeded()
  await expect(sentence).toBeInViewport()
  await expectFits(page)
  await pressEscape(page)
})
