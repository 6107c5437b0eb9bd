import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDeployment } from './deployment.mjs'
import { before, edit, GeneratorError, json, pascal, readTexts, writeFolder } from './files.mjs'

/** The service whose configuration files are the template. */
const MODEL = 'community'
const OUTER_FILES = ['package.json', 'src/config.ts', 'src/index.ts']
/** The name is also used for a setting, a database user and a variable. */
const SERVICE_NAME = /^[a-z]{3,20}$/
const TAKEN = ['workers', 'gateway', 'inbox', 'mongo', 'redis', 'root', 'internal']

const contract = (name, Name) => `import { z } from 'zod'
import { endpoint } from './endpoint.js'
import { filledText, id, pageQuery, time } from './primitives.js'

export const ${name}Item = z.strictObject({ id, text: z.string(), created_at: time })
export type ${Name}Item = z.output<typeof ${name}Item>

export const ${name}Api = {
  list${Name}: endpoint('user', 'GET /${name}', {
    summary: "The caller's ${name}, newest first",
    query: z.strictObject(pageQuery),
    response: z.array(${name}Item),
  }),
  addTo${Name}: endpoint('user', 'POST /${name}', {
    summary: 'Add one, as long as there is room',
    body: z.strictObject({ text: filledText() }),
    response: ${name}Item,
    status: 201,
  }),
} as const
`

// Over 80 lines, as it is a table of the generated files.
const sources = (name, Name) => ({
  'src/server.ts': `import { readConfig, runPart } from '@iodine/service-kit'
import { createApp } from './app.js'
import { ${name}ConfigSchema } from './config.js'

await runPart(async () => createApp(readConfig(${name}ConfigSchema, process.env)))
`,
  'src/app.ts': `import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import type { ${Name}Config } from './config.js'
import { createModels } from './models/${name}.js'
import { add${Name}Routes } from './routes/${name}.js'

/** Starts ${Name}, which stores private items of each user. */
export const createApp = (config: ${Name}Config, deps?: ServiceDeps): Promise<StoreService> =>
  startStoreService('${name}', config, deps, service =>
    add${Name}Routes(service, createModels(service.mongo)),
  )
`,
  [`src/models/${name}.ts`]: `import { type Connection, type DocOf, defineSchema, modelOf } from '@iodine/service-kit'
import { Schema } from 'mongoose'

const required = true
const schema = defineSchema('${name}', {
  user_id: { type: Schema.Types.ObjectId, required },
  text: { type: String, required },
  created_at: { type: Date, required },
})
export type ItemDoc = DocOf<typeof schema>
// Sort order of the list.
schema.index({ user_id: 1, created_at: -1, _id: -1 })

export const createModels = (mongo: Connection) => ({
  items: modelOf(mongo, '${Name}', schema),
})
export type ${Name}Models = ReturnType<typeof createModels>
`,
  [`src/routes/${name}.ts`]: `import { type ${Name}Item, ${name}Api } from '@iodine/contracts'
import { HttpError, personalSource, type StoreService, sendList, servePersonalData } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { ItemDoc, ${Name}Models } from '../models/${name}.js'

/** Approximate limit, since concurrent requests may exceed it. createQuotas counts exactly and is configurable. */
const ITEMS_MAX = 1_000

const present = ({ _id, text, created_at }: ItemDoc): ${Name}Item => ({
  id: _id.toHexString(),
  text,
  created_at: created_at.toISOString(),
})

export const add${Name}Routes = (service: StoreService, { items }: ${Name}Models): void => {
  service.route(${name}Api.list${Name}, async ({ query: { limit, cursor }, user, reply }) => {
    const filter = { user_id: new Types.ObjectId(user.id) }
    return sendList(reply, { model: items, filter, limit, cursor, present: async docs => docs.map(present) })
  })
  service.route(${name}Api.addTo${Name}, async ({ body: { text }, user }) => {
    const user_id = new Types.ObjectId(user.id)
    if ((await items.countDocuments({ user_id })) >= ITEMS_MAX)
      throw new HttpError(413, \`You have \${ITEMS_MAX} already\`)
    const doc = { _id: new Types.ObjectId(), user_id, text, created_at: new Date() }
    await items.create(doc)
    return present(doc)
  })

  servePersonalData(service, {
    sources: [personalSource('${name}_item', items, user_id => ({ user_id }))],
    forget: user_id => items.deleteMany({ user_id }),
  })
}
`,
  [`test/${name}.test.ts`]: `import { ${name}Api, personalDataInternal } from '@iodine/contracts'
import { readConfig } from '@iodine/service-kit'
import { apiClient, type FixtureUser, type ServiceFixture, startServiceFixture } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApp, ${name}ConfigSchema } from '../src/index.js'

let fixture: ServiceFixture
let url: string
let ana: FixtureUser
let bo: FixtureUser

beforeAll(async () => {
  fixture = await startServiceFixture()
  url = await fixture.listen(await createApp(readConfig(${name}ConfigSchema, fixture.env), fixture.deps))
  ;[ana, bo] = [await fixture.user('ana'), await fixture.user('bo')]
})
afterAll(() => fixture?.stop())

const listOf = (user: FixtureUser) => apiClient(url, user.token).call(${name}Api.list${Name})
const add = (user: FixtureUser, text: string) =>
  apiClient(url, user.token).call(${name}Api.addTo${Name}, { body: { text } })

it('stores the items of a user, newest first, hidden from other users', async () => {
  const [first, second] = [await add(ana, 'one'), await add(ana, 'two')]
  expect(await listOf(ana)).toEqual([second, first])
  expect(await listOf(bo)).toEqual([])
})

it('rejects an empty text', async () => {
  const { status } = await apiClient(url, ana.token).send('POST', '/${name}', { text: ' ' })
  expect(status).toBe(422)
})

it('deletes the items of a deleted user, and no others', async () => {
  await add(bo, 'theirs')
  await fixture.internal(personalDataInternal.eraseUser, { params: { id: ana.id } })
  expect(await listOf(ana)).toEqual([])
  expect(await listOf(bo)).toHaveLength(1)
})
`,
})

/**
 * Generates a service: its contract in packages/contracts, its folder in services/ with a per-user list and
 * tests, its manifest, and its entries in tools/dev-stack, docker-compose.yml and deploy/kubernetes.
 * @param {{ root: string, name: string }} options
 * @returns {Promise<{ written: string[], changed: string[] }>}
 */
export async function newService({ root, name }) {
  if (!SERVICE_NAME.test(name) || TAKEN.includes(name))
    throw new GeneratorError(`A service can’t be called ${name}: 3 to 20 small letters, such as watchlists.`)
  const conflict = ['packages', 'tools']
    .map(folder => `${folder}/${name}`)
    .find(each => existsSync(join(root, each)))
  if (conflict) throw new GeneratorError(`A service can’t be called ${name}: ${conflict} has that name.`)
  const contractFile = `packages/contracts/src/${name}.ts`
  if (existsSync(join(root, contractFile))) throw new GeneratorError(`${contractFile} is there already.`)
  const Name = pascal(name)
  const renamed = text => text.replaceAll(MODEL, name).replaceAll(pascal(MODEL), Name)
  const outer = await readTexts(join(root, 'services', MODEL), OUTER_FILES, renamed)
  outer['package.json'] = json({ ...JSON.parse(outer['package.json']), version: '0.1.0', service: {} })
  const written = await writeFolder(root, `services/${name}`, { ...outer, ...sources(name, Name) })
  await writeFile(join(root, contractFile), contract(name, Name))
  const changed = [
    await edit(root, 'packages/contracts/src/index.ts', text => `${text}export * from './${name}.js'\n`),
    await edit(root, 'packages/contracts/src/services.ts', text =>
      before(
        `import { ${name}Api } from './${name}.js'\n${text}`,
        /^} as const satisfies Record<string, ServiceManifest>/m,
        `  ${name}: {\n    prefixes: { ${name}: {} },\n    apis: { ${name}: ${name}Api },\n    internal: { ...personalDataInternal, ...outboxInternal },\n  },`,
      ),
    ),
    await edit(root, 'tools/dev-stack/package.json', text => {
      const { dependencies: before, ...rest } = JSON.parse(text)
      const all = { ...before, [`@iodine/${name}`]: 'workspace:*' }
      return json({ ...rest, dependencies: Object.fromEntries(Object.entries(all).sort()) })
    }),
    await edit(root, 'tools/dev-stack/src/parts.ts', text =>
      before(
        `import { createApp as create${Name}, ${name}ConfigSchema } from '@iodine/${name}'\n${text}`,
        /^ {2}workers: part\(/m,
        `  ${name}: part(${name}ConfigSchema, create${Name}),`,
      ),
    ),
    ...(await writeDeployment(root)),
  ]
  return { written: [...written, contractFile], changed }
}
