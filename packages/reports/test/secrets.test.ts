import { setImmediate } from 'node:timers/promises'
import { CATEGORIES, type Evidence, type Iod, TLP_LEVELS } from '@iodine/contracts'
import { isLongTier, propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type ReportSources, selectReport, toFiles } from '../src/index.js'
import { contentOf } from './content.js'

const AT = '2026-11-20T10:11:12.000Z'

const hex = (n: number) => n.toString(16).padStart(24, '0')
/** A secret that cannot occur otherwise. */
const secret = (n: number) => `qz${n.toString(36)}xj${(n * 7919).toString(36)}kv`

/** Arbitrary IOD with its evidence: every member's name and id is a secret. */
const member = fc.record({
  category: fc.constantFrom(...CATEGORIES),
  tlp: fc.constantFrom(null, ...TLP_LEVELS),
  isStated: fc.boolean(),
  mail: fc.boolean(),
  letIn: fc.boolean(),
  agrees: fc.boolean(),
  takenOut: fc.boolean(),
  open: fc.boolean(),
  shared: fc.boolean(),
  sealed: fc.boolean(),
  namesHeld: fc.boolean(),
})

it('publishes no secret of a campaign', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(member, { minLength: 1, maxLength: 8 }), async members => {
      // Vitest's watchdog needs the event loop.
      await setImmediate()
      const secrets: string[] = []
      const hide = (n: number) => {
        const text = secret(n)
        secrets.push(text)
        return text
      }
      const held = secret(1)
      const iods: Iod[] = []
      const evidence: Evidence[] = []
      const base = contentOf()
      const decisions = new Map<string, { let_in: boolean; reason: 'asset' | null }>()
      const statements: ReportSources['statements'] = new Map()
      const consenting = new Set<string>()
      const takenOut = new Set<string>()
      members.forEach((each, at) => {
        const id = hex(1_000 + at)
        const user = hex(9_000 + at)
        const isPersonal = ['USERNAME', 'FULL_NAME', 'IP_ADDRESS'].includes(each.category) || each.mail
        const isClear = each.isStated && (each.tlp === null || each.tlp === 'clear') && !each.takenOut
        const isShown = isClear && (!isPersonal || each.letIn)
        const name = secret(100 + at)
        if (!isShown) secrets.push(name)
        const description = secret(200 + at)
        if (!isShown || !each.agrees) secrets.push(description)
        const quote = secret(300 + at)
        const isQuoted = isShown && each.open && each.sealed && !each.namesHeld
        if (!isQuoted) secrets.push(quote)
        const value = each.mail ? `${name}@mail.example` : name
        const exact = each.namesHeld ? `${quote} of @${held.toUpperCase()}` : quote
        iods.push({
          ...{
            id,
            value,
            category: each.category,
            description,
            source_type: 'TIKTOK',
            source: `/home/${hide(400 + at)}`,
          },
          ...{
            source_id: 77,
            created_by: hide(500 + at),
            created_by_id: user,
            created_by_username: hide(600 + at),
          },
          created_at: AT,
          votes: [
            { id: hex(at), user_id: user, username: hide(700 + at), vote_type: 'POSITIVE', created_at: AT },
          ],
          comments: [{ id: hex(at), content: hide(800 + at), user_id: user, username: null, created_at: AT }],
        })
        const seal = { seq: 1, manifest_hash: 'ab'.repeat(32), received_at: AT, salt: hide(1_500 + at) }
        evidence.push({
          ...{
            id: hex(2_000 + at),
            iod_id: id,
            kind: 'capture',
            capture_id: hex(3_000 + at),
            relation: 'same',
          },
          ...{ role: 'dom', pointer: `/${hide(1_100 + at)}`, start: 1, end: 2, exact },
          ...{
            prefix: hide(1_200 + at),
            suffix: hide(1_300 + at),
            url: 'https://page.example/',
            captured_at: AT,
          },
          ...{ seal: each.sealed ? seal : null, open: each.open, shared: each.shared },
          ...{ created_by_id: user, created_by_username: hide(1_400 + at), created_at: AT },
        } as Evidence)
        if (each.isStated)
          (statements as Map<string, unknown>).set(id, {
            uid: `uid-${at}`,
            confidence: 50,
            since: AT,
            tlp: each.tlp,
          })
        if (each.letIn) decisions.set(id, { let_in: true, reason: 'asset' })
        if (each.agrees) consenting.add(user)
        if (each.takenOut) takenOut.add(id)
        secrets.push(id, user, hex(2_000 + at), hex(3_000 + at))
      })
      // A username that is held back.
      iods.push({ ...(iods[0] as Iod), id: hex(5_000), value: held, category: 'USERNAME' })
      secrets.push(held)
      const { language, title, aliases, summary, unknown, method, references, licence, doi, listed, change } =
        base
      const { content } = selectReport({
        ...{ url: base.url, slug: base.slug, n: 1, made_at: base.made_at, first_at: null, site: base.site },
        ...{ authors: ['ada'], disarm: '1.6', publisher: hex(1), iods, evidence, statements, decisions },
        collectors: new Map(
          evidence.map(({ capture_id }, at) => [capture_id ?? '', `of ${hide(1_600 + at)}`]),
        ),
        ...{ consenting, takenOut, techniques: [{ id: 'T0023', quotes: evidence.map(({ id }) => id) }] },
        draft: {
          ...{ language, title, aliases, summary, unknown, method, references, licence, doi, listed, change },
          ...{ attribution: null, signed: true },
          findings: [
            { text: 'A finding', confidence: 'low', evidence_ids: evidence.map(({ id }) => id).slice(0, 20) },
          ],
        },
      })
      const forms = secrets.flatMap(each => [
        each,
        Buffer.from(each).toString('base64').slice(0, -4).toLowerCase(),
      ])
      for (const { name, bytes } of toFiles(content)) {
        const text = Buffer.from(bytes).toString().toLowerCase()
        // One assertion a file: millions of them would take most of the time.
        expect([name, forms.filter(form => text.includes(form))]).toEqual([name, []])
      }
    }),
    propertyRuns(isLongTier ? 2_000 : 160),
  )
}, 600_000)
