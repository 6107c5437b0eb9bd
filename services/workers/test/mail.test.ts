import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:net'
import { accountsInternal, LIMITS, type MailJob, mailsInternal, PRODUCT_NAME } from '@iodine/contracts'
import {
  createLogger,
  createService,
  HttpError,
  type Part,
  readConfig,
  type Service,
  seal,
} from '@iodine/service-kit'
import {
  linkIn,
  type MailCatcher,
  newId,
  redisContents,
  type ServiceFixture,
  startMailCatcher,
  startServiceFixture,
} from '@iodine/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp, workersConfigSchema } from '../src/index.js'

/** Timeout for a job that hangs. */
const ENDED_MS = 50_000
const CANARY = randomBytes(32).toString('base64url')
let fixture: ServiceFixture
let catcher: MailCatcher
let refusing: Server
let workers: Part
let service: Service
let recipients = 0
const logs: string[] = []
const settled: string[] = []

beforeAll(async () => {
  ;[fixture, catcher] = await Promise.all([startServiceFixture(), startMailCatcher()])
  fixture.answer(accountsInternal.confirmWarning, () => ({ done: true as const }))
  fixture.answer(mailsInternal.completeMail, ({ params }) => {
    settled.push(params.id)
    return { done: true as const }
  })
  const config = readConfig(workersConfigSchema, {
    ...fixture.env,
    SMTP_URL: catcher.url,
    MAIL_FROM: 'Team <team@example.org>',
    LOG_LEVEL: 'trace',
  })
  workers = await createApp(config, {
    logger: createLogger('workers', 'trace', { write: line => void logs.push(line) }),
  })
  service = await createService('elsewhere', config, fixture.deps)
})
afterAll(async () => {
  await workers?.close()
  await service?.close()
  refusing?.close()
  await catcher?.stop()
  await fixture?.stop()
})

const sealed = (to: string, link: string, key = fixture.env.SECRETS_KEY ?? '') =>
  seal(key, 'mail', JSON.stringify({ template: 'magic-link', to, link }))
const add = (to: string, link: string, key?: string) =>
  service.queues.add(
    'mail',
    { sealed: sealed(to, link, key) },
    { attempts: 5, backoff: { type: 'fixed', delay: 50 } },
  )
const warning = (to: string, more: Partial<Extract<MailJob, { template: 'inactive-account' }>> = {}) => ({
  template: 'inactive-account' as const,
  to,
  link: 'https://iodine.example/login',
  delete_at: '2026-12-21T23:30:00.000Z',
  user_id: newId(),
  last_active_at: '2025-12-20T08:00:00.000Z',
  ...more,
})
const link = () => `https://iodine.example/magic-login?token=${CANARY}`
const recipient = () => `reader${++recipients}@example.org`

describe('a sign-in mail', () => {
  it('states its purpose, lifetime and link in text and HTML', async () => {
    const to = recipient()
    await add(to, link())
    const mail = await catcher.waitForMail(to)
    expect(mail).toMatchObject({ from: 'team@example.org', to: [to], subject: `Sign in to ${PRODUCT_NAME}` })
    for (const body of [mail.text, mail.html]) {
      expect(body).toContain(PRODUCT_NAME)
      expect(body).toContain('15 minutes')
      expect(body).toContain(link())
    }
    expect(linkIn(mail)).toBe(link())
    expect(linkIn({ text: '', html: mail.html })).toBe(link())
    expect(mail.raw).toMatch(/^Auto-Submitted: auto-generated/m)
  })

  it('escapes markup in the link', async () => {
    const to = recipient()
    await add(to, 'https://iodine.example/?a=1&token="><script>x</script>')
    const { html } = await catcher.waitForMail(to)
    expect(html).not.toContain('<script>')
  })

  it('is retried while the server rejects it temporarily, and sent once', async () => {
    const to = recipient()
    catcher.refuse(3)
    const job = await add(to, link())
    await catcher.waitForMail(to)
    await service.queues.waitFor('mail', job, ENDED_MS)
    expect(catcher.mails.filter(mail => mail.to.includes(to))).toHaveLength(1)
    expect(settled).toContain(job.id)
  })

  it('keeps its Message-ID when it is enqueued again, so that clients show one mail', async () => {
    const to = recipient()
    const ids = []
    for (const again of [false, true]) {
      const job = again ? await service.queues.queue('mail').getJob('twice') : undefined
      if (job) {
        await service.queues.waitFor('mail', job, ENDED_MS)
        await job.retry('completed')
      } else await service.queues.add('mail', { sealed: sealed(to, link()) }, { jobId: 'twice' })
      ids.push((await catcher.waitForMail(to)).messageId)
    }
    expect(ids[0]).toMatch(/^<twice\.\d+@example\.org>$/)
    expect(ids[1]).toBe(ids[0])
  })

  it('is dropped once its link has expired, after an outage of the workers', async () => {
    const to = recipient()
    const late = await service.queues.add(
      'mail',
      { sealed: sealed(to, link()) },
      { timestamp: Date.now() - LIMITS.magicLinkMs - 1_000 },
    )
    await expect(service.queues.waitFor('mail', late, ENDED_MS)).rejects.toThrow('has expired')
    expect(settled).toContain(late.id)
    expect(catcher.mails.filter(mail => mail.to.includes(to))).toEqual([])
  })

  it('is dropped if it is unreadable, or the server rejects the address permanently', async () => {
    const [, unnamed = ''] = sealed(recipient(), link()).split('.')
    const unreadable = await service.queues.add('mail', { sealed: unnamed })
    await expect(service.queues.waitFor('mail', unreadable, ENDED_MS)).rejects.toThrow('unreadable mail')

    let connections = 0
    refusing = createServer(socket => {
      connections++
      socket.write('220 x ESMTP\r\n')
      socket.on('data', chunk =>
        socket.write(/^RCPT/m.test(String(chunk)) ? `550 no ${CANARY}\r\n` : '250 ok\r\n'),
      )
      socket.on('error', () => {})
    })
    await new Promise<void>(resolve => refusing.listen(0, '127.0.0.1', resolve))
    const { port } = refusing.address() as { port: number }
    const other = await startServiceFixture()
    other.answer(mailsInternal.completeMail, ({ params }) => {
      settled.push(params.id)
      return { done: true as const }
    })
    const config = readConfig(workersConfigSchema, { ...other.env, SMTP_URL: `smtp://127.0.0.1:${port}` })
    const strict = await createApp(config, other.deps)
    const adder = await createService('elsewhere', config, other.deps)
    const refused = seal(
      config.SECRETS_KEY,
      'mail',
      JSON.stringify({ template: 'magic-link', to: recipient(), link: link() }),
    )
    const job = await adder.queues.add('mail', { sealed: refused })
    await expect(adder.queues.waitFor('mail', job, ENDED_MS)).rejects.toThrow(
      'the mail server refuses the address',
    )
    expect(connections).toBe(1)
    // Both are reported as complete, so that auth does not enqueue them again.
    expect(settled).toEqual(expect.arrayContaining([unreadable.id, job.id]))
    await strict.close()
    await adder.close()
    await other.stop()
  })

  it('stays pending while its key is missing, and is sent by a worker that has it', async () => {
    const key = randomBytes(32).toString('base64')
    const to = recipient()
    const lacking = await service.queues.add(
      'mail',
      { sealed: sealed(to, link(), key) },
      { attempts: 2, backoff: { type: 'fixed', delay: 50 } },
    )
    await expect(service.queues.waitFor('mail', lacking, ENDED_MS)).rejects.toThrow(/sealed with the key/)
    expect(settled).not.toContain(lacking.id)
    // The next start of the workers, with both keys.
    const other = await startServiceFixture()
    other.answer(mailsInternal.completeMail, ({ params }) => {
      settled.push(params.id)
      return { done: true as const }
    })
    const config = readConfig(workersConfigSchema, {
      ...other.env,
      SECRETS_KEY: `${other.env.SECRETS_KEY},${key}`,
      SMTP_URL: catcher.url,
    })
    const knowing = await createApp(config, other.deps)
    const adder = await createService('elsewhere', config, other.deps)
    const job = await adder.queues.add('mail', { sealed: sealed(to, link(), key) })
    await catcher.waitForMail(to)
    await adder.queues.waitFor('mail', job, ENDED_MS)
    expect(settled).toContain(job.id)
    await knowing.close()
    await adder.close()
    await other.stop()
  })

  it('informs owners of a suspended and of an expiring account, in text and HTML', async () => {
    const send = async (mail: MailJob) => {
      await service.queues.add('mail', {
        sealed: seal(fixture.env.SECRETS_KEY ?? '', 'mail', JSON.stringify(mail)),
      })
      return catcher.waitForMail(mail.to)
    }
    const page = 'https://iodine.example/login'
    const suspended = await send({ template: 'account-suspended', to: recipient(), link: page })
    expect(suspended.subject).toBe(`Your ${PRODUCT_NAME} account is suspended`)
    const delete_at = '2026-12-21T23:30:00.000Z'
    const inactive = await send(warning(recipient(), { delete_at }))
    expect(inactive.subject).toBe(`Your ${PRODUCT_NAME} account will be deleted on 21 December 2026`)
    for (const body of [inactive.text, inactive.html]) {
      expect(body).toContain('12 months')
      expect(body).toContain('21 December 2026')
    }
    for (const mail of [suspended, inactive])
      expect([linkIn(mail), linkIn({ text: '', html: mail.html })]).toEqual([page, page])
  })

  it('of each other kind states its subject, shows dates and addresses as text, and links to its page', async () => {
    const page = 'https://iodine.example/account-link?token=x'
    const hostile = '"<b>x</b>"@example.org'
    const day = '2026-12-21T23:30:00.000Z'
    const kinds: [MailJob, subject: string, ...said: string[]][] = [
      [
        { template: 'confirm-old-address', to: recipient(), link: page, new_email: hostile },
        `Change the email address of your ${PRODUCT_NAME} account`,
        '24 hours',
      ],
      [
        { template: 'confirm-new-address', to: recipient(), link: page, old_email: hostile },
        `Confirm your new email address for ${PRODUCT_NAME}`,
        '24 hours',
      ],
      [
        { template: 'address-not-free', to: recipient(), link: page },
        `This email address is in use on ${PRODUCT_NAME}`,
        'Nothing has changed',
      ],
      [
        { template: 'address-changed', to: recipient(), link: page, new_email: hostile },
        `The email address of your ${PRODUCT_NAME} account has changed`,
      ],
      [
        { template: 'confirm-deletion', to: recipient(), link: page },
        `Delete your ${PRODUCT_NAME} account`,
        '15 minutes',
        '7 days',
      ],
      [
        { template: 'deletion-scheduled', to: recipient(), link: page, delete_at: day },
        `Your ${PRODUCT_NAME} account will be deleted on 21 December 2026`,
        'Keep my account',
      ],
      [
        { template: 'data-export-ready', to: recipient(), link: page, expires_at: day },
        `Your ${PRODUCT_NAME} data is ready`,
        '21 December 2026 at 23:30 UTC',
      ],
    ]
    for (const [job, subject, ...said] of kinds) {
      await service.queues.add('mail', {
        sealed: seal(fixture.env.SECRETS_KEY ?? '', 'mail', JSON.stringify(job)),
      })
      const mail = await catcher.waitForMail(job.to)
      expect(mail.subject).toBe(subject)
      for (const body of [mail.text, mail.html]) for (const each of said) expect(body).toContain(each)
      expect([linkIn(mail), linkIn({ text: '', html: mail.html })]).toEqual([page, page])
      expect(mail.html).not.toContain('<b>')
      if ('new_email' in job || 'old_email' in job) expect(mail.text).toContain(hostile)
    }
  })

  it('with a deletion warning is confirmed to auth after its delivery, and sent once despite failures of auth', {
    tags: 'long',
  }, async () => {
    const mail = warning(recipient())
    const confirmations: unknown[] = []
    fixture.answer(accountsInternal.confirmWarning, ({ params, body }) => {
      // A warning of another test.
      if (params.id !== mail.user_id) return { done: true as const }
      const mailed = catcher.mails.filter(({ to }) => to.includes(mail.to)).length
      confirmations.push({ ...params, ...body, mailed })
      if (confirmations.length === 1) throw new HttpError(503, 'down')
      return { done: true as const }
    })
    catcher.refuse(2)
    const job = await service.queues.add(
      'mail',
      { sealed: seal(fixture.env.SECRETS_KEY ?? '', 'mail', JSON.stringify(mail)) },
      { attempts: 5, backoff: { type: 'fixed', delay: 200 } },
    )
    await service.queues.waitFor('mail', job, ENDED_MS)
    const { user_id: id, last_active_at } = mail
    expect(new Set(confirmations.map(each => JSON.stringify(each)))).toEqual(
      new Set([JSON.stringify({ id, last_active_at, outcome: 'taken', mailed: 1 })]),
    )
    expect(confirmations.length).toBeGreaterThan(1)
    expect(catcher.mails.filter(({ to }) => to.includes(mail.to))).toHaveLength(1)
  })

  it.each([
    ['RCPT', '550 5.1.1 no such user', 'refused'],
    ['RCPT', '550 no such user', 'refused'],
    ['RCPT', '452 4.2.2 mailbox full', undefined],
    ['RCPT', '554 5.7.1 relay access denied', undefined],
    ['MAIL', '550 5.1.8 bad sender', undefined],
    ['DATA', '554 5.6.0 bad content', undefined],
  ])('with a deletion warning that meets %s with %s counts as %s', async (verb, answer, outcome) => {
    const server = createServer(socket => {
      socket.write('220 x ESMTP\r\n')
      socket.on('data', chunk =>
        socket.write(String(chunk).startsWith(verb) ? `${answer}\r\n` : '250 ok\r\n'),
      )
      socket.on('error', () => {})
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const other = await startServiceFixture()
    const confirmations: unknown[] = []
    other.answer(accountsInternal.confirmWarning, ({ body }) => {
      confirmations.push(body.outcome)
      return { done: true as const }
    })
    const config = readConfig(workersConfigSchema, { ...other.env, SMTP_URL: `smtp://127.0.0.1:${port}` })
    const picky = await createApp(config, other.deps)
    const adder = await createService('elsewhere', config, other.deps)
    const job = await adder.queues.add(
      'mail',
      { sealed: seal(config.SECRETS_KEY, 'mail', JSON.stringify(warning(recipient()))) },
      { attempts: 2, backoff: { type: 'fixed', delay: 50 } },
    )
    const ended = adder.queues.waitFor('mail', job, ENDED_MS)
    if (outcome) await ended
    else await expect(ended).rejects.toThrow('the mail server failed')
    expect(confirmations).toEqual(outcome ? [outcome] : [])
    await picky.close()
    await adder.close()
    await other.stop()
    server.close()
  })

  it('leaves its link and address neither in logs nor in Redis', async () => {
    const contents = await redisContents(fixture.redis.url)
    expect(contents).toContain(':mail:')
    const seen = JSON.stringify([logs, contents])
    for (const secret of [CANARY, 'magic-login', 'reader1@']) expect(seen).not.toContain(secret)
    expect(logs.some(line => line.includes('job failed'))).toBe(true)
  })
})
