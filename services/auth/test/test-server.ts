import { setTimeout as sleep } from 'node:timers/promises'
import type { MailJob } from '@iodine/contracts'
import {
  createLogger,
  newSigningKey,
  readConfig,
  type ServiceDeps,
  type StoreService,
  unseal,
} from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  type CallInternal,
  internalClient,
  type ServiceFixture,
  startServiceFixture,
  uniquePrefix,
} from '@iodine/test-kit'
import { afterAll, beforeAll } from 'vitest'
import { authConfigSchema, createApp } from '../src/index.js'

export const PUBLIC_URL = 'https://iodine.example'

/** Resolves to the status code of a call. */
export const statusOf = (call: Promise<unknown>): Promise<number> =>
  call.then(
    () => 200,
    ({ status }) => status,
  )

/** Returns the token of the link in a mail. */
export const tokenIn = ({ link }: MailJob): string => new URL(link).searchParams.get('token') ?? ''

/** Returns the id of a token's session. */
export const sidOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid

/** Returns the expected response to a refused call. */
export const refusal = (status: number, detail: string) => ({ status, body: { detail } })

export const DAY_MS = 24 * 3_600_000

export interface TestServer {
  fixture: ServiceFixture
  service: StoreService
  url: string
  anyone: ApiClient
  /** All log lines of the service, at the most verbose level. */
  logs: string[]
  /** Requests a link and reads its token from the queued mail. */
  linkToken(email: string, inviteCode?: string): Promise<string>
  /** Signs in with a mailed link. */
  signIn(email: string): Promise<{ token: string; api: ApiClient }>
  /** Calls an internal endpoint, as another service does. */
  internal: CallInternal
  /** Resolves to the whole database as text. */
  dump(): Promise<string>
  /** Mails that this server and others of its fixture delivered. */
  mails: MailJob[]
  /** Waits for the newest mail of a template to an address, ignoring the first `after` mails. */
  mail<T extends MailJob['template']>(
    template: T,
    to: string,
    after?: number,
  ): Promise<Extract<MailJob, { template: T }>>
  close(): Promise<void>
}

/** Delivered mails by fixture: its servers share the outbox, so each delivers mails that another one added. */
const delivered = new WeakMap<ServiceFixture, MailJob[]>()

/** Starts the auth service on the fixture's database, with a separate Redis prefix and a consumer of the mail queue. */
export const startTestServer = async (
  fixture: ServiceFixture,
  env: Record<string, string> = {},
  deps: ServiceDeps = {},
): Promise<TestServer> => {
  const logs: string[] = []
  const config = readConfig(authConfigSchema, {
    RATE_LIMITS: 'off',
    PUBLIC_URL,
    JWT_PRIVATE_KEY: newSigningKey(),
    ADMIN_EMAILS: 'Boss@Example.org, root@example.org',
    ...fixture.env,
    REDIS_PREFIX: uniquePrefix(),
    ...env,
  })
  const logger = createLogger('auth', 'trace', { write: line => void logs.push(line) })
  const service = await createApp(config, { ...fixture.deps, logger, ...deps })
  const url = await service.listen()
  const anyone = apiClient(url)
  const mails = delivered.get(fixture) ?? []
  delivered.set(fixture, mails)
  service.queues.work('mail', async ({ sealed }, { id }) => {
    mails.push(JSON.parse(unseal(config.SECRETS_KEY, 'mail', sealed)))
    await service.mongo.collection('outbox').deleteMany({ kind: 'mail', key: id })
  })

  const mail: TestServer['mail'] = async (template, to, after = 0) => {
    for (let left = 3_000; left > 0; left--) {
      // A mail to this address that was queued earlier may arrive first.
      const found = mails.slice(after).findLast(each => each.template === template && each.to === to)
      if (found) return found as never
      await sleep(10)
    }
    throw new Error(`no mail: ${template} to ${to}`)
  }
  const linkToken: TestServer['linkToken'] = async (email, invite_code) => {
    const to = email.trim().toLowerCase()
    const before = mails.length
    const answer = await anyone.send('POST', '/auth/request-magic-link', {
      email,
      ...(invite_code !== undefined && { invite_code }),
    })
    if (answer.status !== 200) throw new Error(`no link: ${answer.status} ${JSON.stringify(answer.body)}`)
    return tokenIn(await mail('magic-link', to, before))
  }
  return {
    fixture,
    service,
    url,
    anyone,
    logs,
    mails,
    mail,
    linkToken,
    async signIn(email) {
      const token = await linkToken(email)
      const { status, body } = await anyone.send('POST', '/auth/verify-magic-link', { token })
      if (status !== 200) throw new Error(`not signed in: ${status} ${JSON.stringify(body)}`)
      return { token: body.access_token, api: apiClient(url, body.access_token) }
    },
    internal: internalClient(url, config.SERVICE_KEY),
    async dump() {
      const collections = Object.values(service.mongo.models).map(model => model.find().lean())
      return JSON.stringify(await Promise.all(collections))
    },
    close: () => service.close(),
  }
}

/** Runs the expiry of accounts in all replicas at once. Resolves to the sums of their results. */
export const expireIn = async (...replicas: TestServer[]): Promise<{ warned: number; deleted: number }> => {
  const before = replicas.map(({ logs }) => logs.length)
  await Promise.all(replicas.map(({ service }) => service.tasks.run('account-expiry')))
  const runs = replicas
    .flatMap(({ logs }, n) => logs.slice(before[n]))
    .map(line => JSON.parse(line))
    .filter(({ msg }) => msg === 'inactive accounts')
  const sum = (name: 'warned' | 'deleted') => runs.reduce((all, run) => all + run[name], 0)
  return { warned: sum('warned'), deleted: sum('deleted') }
}

/** Starts a replica that runs tasks and serves requests, without the outbox. */
export const startReplica = async (fixture: ServiceFixture): Promise<TestServer> => {
  const replica = await startTestServer(fixture)
  await replica.service.outbox.close()
  return replica
}

/** Starts the service on a separate fixture before the first test of a file and stops it after the last one. */
export const serverOfFile = (
  env?: Record<string, string>,
  fixtureOptions: Parameters<typeof startServiceFixture>[0] = {},
): TestServer => {
  const server = {} as TestServer
  beforeAll(async () => {
    server.fixture = await startServiceFixture(fixtureOptions)
    Object.assign(server, await startTestServer(server.fixture, env))
  })
  afterAll(async () => {
    await server.close?.()
    await server.fixture?.stop()
  })
  return server
}
