import { authApi, iodsApi, profileApi } from '@iodine/contracts'
import { apiClient, startMailCatcher, temporaryFolder } from '@iodine/test-kit'
import { expect, test } from 'vitest'
import { addDemo } from '../src/demo.js'
import { startStack } from '../src/index.js'

test('the demo fills a copy whose mail goes to SMTP_URL and that asks for beta codes, without a mail to anybody', async () => {
  const folder = temporaryFolder()
  const mail = await startMailCatcher()
  const env = {
    PORT: '0',
    DATA_DIR: folder.path,
    SMTP_URL: mail.url,
    BETA_REQUIRED: 'true',
    LOG_LEVEL: 'warn',
  }
  const stack = await startStack({ env, demo: true })
  try {
    const said: string[] = []
    const signIns = await addDemo(stack, line => said.push(line))
    expect(said.join()).not.toContain('not complete')
    expect(signIns).toContain('only admin@iodine.local can read it')
    const token = /token=(\S+)/.exec(signIns)?.[1] ?? ''
    const { access_token } = await apiClient(stack.url).call(authApi.verifyMagicLink, { body: { token } })
    const { call } = apiClient(stack.url, access_token)
    expect(await call(profileApi.getProfile)).toMatchObject({
      email: 'analyst@iodine.example',
      username: 'mirror_desk',
    })
    expect((await call(iodsApi.listIods)).length).toBeGreaterThan(60)
    expect(mail.mails).toEqual([])
  } finally {
    await stack.stop()
    await mail.stop()
    folder.remove()
  }
}, 180_000)
