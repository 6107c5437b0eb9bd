import { SERVICES, secretsInternal } from '@iodine/contracts'
import {
  createLogger,
  createService,
  HttpError,
  type Part,
  readConfig,
  type Service,
} from '@iodine/service-kit'
import { newId, type ServiceBed, startServiceBed } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApp, workersConfigSchema } from '../src/index.js'

const OWNERS = Object.values(SERVICES).filter(({ internal }) => 'reseal' in internal).length

let bed: ServiceBed
let workers: Part
let adder: Service
const lines: string[] = []
/** The cursors that owners were asked with. */
const asked: (string | null)[] = []
let answer: (cursor: string | null) => { resealed: number; unreadable: number; cursor: string | null }

beforeAll(async () => {
  bed = await startServiceBed()
  answer = () => ({ resealed: 0, unreadable: 0, cursor: null })
  bed.answer(secretsInternal.reseal, ({ body }) => {
    asked.push(body.cursor)
    return answer(body.cursor)
  })
  const config = readConfig(workersConfigSchema, { ...bed.env, SMTP_URL: 'smtp://127.0.0.1:1' })
  const logger = createLogger('workers', 'info', { write: line => void lines.push(line) })
  workers = await createApp(config, { ...bed.deps, logger })
  adder = await createService('elsewhere', config, bed.deps)
})
afterAll(async () => {
  await workers?.close()
  await adder?.close()
  await bed?.stop()
})

it('has each owner seal its secrets anew at the start, step by step, and says how far it came', async () => {
  await expect.poll(() => asked.length, { timeout: 20_000 }).toBe(OWNERS)
  const places = [newId(), newId()]
  let failures = 1
  answer = cursor => {
    // The owner is down once, in the midst.
    if (cursor === places[0] && failures-- > 0) throw new HttpError(503, 'down')
    const next = cursor === null ? places[0] : cursor === places[0] ? places[1] : undefined
    return { resealed: 2, unreadable: next ? 0 : 1, cursor: next ?? null }
  }
  asked.length = 0
  const job = await adder.queues.add('secrets', {})
  await adder.queues.waitFor('secrets', job, 30_000)
  expect(asked).toEqual([
    null,
    places[0],
    ...Array(OWNERS)
      .fill([null, ...places])
      .flat(),
  ])
  const said = lines.map(line => JSON.parse(line)).filter(({ resealed }) => resealed !== undefined)
  expect(said).toHaveLength(OWNERS)
  for (const line of said)
    expect(line).toMatchObject({
      level: 50,
      resealed: 6,
      unreadable: 1,
      msg: 'no key of SECRETS_KEY opens some secrets',
    })
})
