/**
 * A STIX bundle imported by the server as a job, compared with indicators created and added one at a time over the API,
 * as the browser does with files in Iodine's format; and the memory of each part's process until it is applied. Measures
 * a file of imported objects only, and one in which every tenth object is an indicator.
 *
 *   npm run bench -- imports
 *   OBJECTS=200000 PADDING=190 npm run bench -- imports
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { campaignsApi, importsApi, iodsApi } from '@iodine/contracts'
import { type ProcessName, startProcesses } from '@iodine/harness'
import { NO_LIMITS, signUp } from '@iodine/test-kit'
import { rate, ratio, table, timed, whole } from './lib/measure.js'
import { bundleOf, untilImport } from './lib/stix.js'

const objects = Number(process.env.OBJECTS ?? 50_000)
const padding = Number(process.env.PADDING ?? 180)
/** Number of IODs created one at a time. */
const SINGLE = 300
const LOOK_MS = 20

/** The parts that process an import. */
const PARTS = ['gateway', 'campaigns', 'iods', 'workers'] as const satisfies ProcessName[]

// Node's default heap limit in a container of 512 MiB, the size in `deploy/kubernetes`.
const stack = await startProcesses({ env: { ...NO_LIMITS, NODE_OPTIONS: '--max-old-space-size=256' } })
try {
  const mail = {
    async waitForMail(to: string) {
      for (let left = 500; left > 0; left--) {
        const found = stack.mails().findLast(each => each.to.includes(to))
        if (found) return found
        await sleep(LOOK_MS)
      }
      throw new Error(`no mail to ${to}`)
    },
  }
  const { api, token } = await signUp({ url: stack.url, mail })
  /** Returns the resident memory of a part, in MiB. */
  const memory = (part: ProcessName) => {
    const status = readFileSync(`/proc/${stack.parts[part].pid()}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
  }
  const create = () => api.call(campaignsApi.createCampaign, { body: { name: 'Bench' } })

  const { id: single } = await create()
  const one = async (n: number) => {
    const iod = await api.call(iodsApi.createIod, {
      body: {
        value: `https://example.org/single/${n}`,
        category: 'URL',
        description: '',
        source_type: 'MANUAL',
      },
    })
    await api.call(campaignsApi.addIod, { params: { id: single }, body: { iod_id: iod.id } })
  }
  for (let n = 0; n < SINGLE; n++) await one(n)
  const singles = await timed(async () => {
    for (let n = SINGLE; n < 2 * SINGLE; n++) await one(n)
  })

  const rows: string[][] = []
  for (const [name, share] of [
    ['all kept', Number.POSITIVE_INFINITY],
    ['one in ten an IOD', 10],
  ] as const) {
    const file = bundleOf(objects, share, name.replaceAll(' ', '-'), padding)
    const { id: campaign_id } = await create()
    const most = new Map<ProcessName, number>()
    const watch = setInterval(() => {
      for (const part of PARTS) most.set(part, Math.max(most.get(part) ?? 0, memory(part)))
    }, LOOK_MS)
    let made = ''
    const sent = await timed(async () => {
      made = (await api.call(importsApi.createImport, { query: { campaign_id, format: 'stix' }, body: file }))
        .id
    })
    const planned = await timed(() => untilImport(api, made, state => state === 'planned'))
    const applied = await timed(async () => {
      await api.call(importsApi.applyImport, { params: { id: made }, body: {} })
      await untilImport(api, made, state => state === 'done')
    })
    clearInterval(watch)
    const exported = await timed(async () => {
      const answer = await fetch(`${stack.url}/api/v1/campaigns/${campaign_id}/export?format=stix`, {
        headers: { authorization: `Bearer ${token}` },
      })
      if (!answer.ok || !answer.body) throw new Error(`The export returned ${answer.status}`)
      for await (const _ of answer.body);
    })
    const all = sent + planned + applied
    const perIod = all / Math.ceil(objects / share)
    rows.push([
      name,
      whole(file.length),
      whole(Math.round(sent)),
      whole(Math.round(planned)),
      whole(Math.round(applied)),
      rate(objects, all),
      share === Number.POSITIVE_INFINITY ? '' : ratio(singles / SINGLE, perIod),
      rate(objects, exported),
      ...PARTS.map(part => whole(Math.round(most.get(part) ?? 0))),
    ])
  }
  table(
    [
      'file',
      'bytes',
      'received, ms',
      'planned, ms',
      'applied, ms',
      'objects/s',
      'IODs sooner than one by one, ×',
      'exported, objects/s',
      ...PARTS.map(part => `${part}, MiB`),
    ],
    rows,
  )
} finally {
  await stack.stop()
}
