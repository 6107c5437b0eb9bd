import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AiProvider, startAiProvider } from '../src/ai.js'

let provider: AiProvider
beforeAll(async () => {
  provider = await startAiProvider()
})
afterAll(() => provider.stop())

const ask = (text = 'Ana reads books. Yes. Bo writes long letters', timeoutMs = 30_000) =>
  fetch(`${provider.url}/chat/completions`, {
    method: 'POST',
    signal: AbortSignal.timeout(timeoutMs),
    headers: { authorization: 'Bearer sk-test' },
    body: JSON.stringify({
      model: 'm',
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: text },
      ],
    }),
  })
const content = async (response: Response) => {
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] }
  return JSON.parse(choices[0]!.message.content)
}

test('answers simple triplets of the text by default, and records the request', async () => {
  expect(await content(await ask())).toEqual({
    triplets: [
      { subject: 'Ana', verb: 'reads', object: 'books' },
      { subject: 'Bo', verb: 'writes', object: 'long letters' },
    ],
  })
  expect(provider.requests.at(-1)).toMatchObject({ key: 'sk-test', body: { model: 'm' } })
})

test('answers as scripted, in order, then by default again', async () => {
  const triplets = [{ subject: 'a', verb: 'b', object: 'c' }]
  provider.next(
    'unauthorized',
    'rate-limited',
    'failing',
    { triplets },
    { after: 20, answer: 'empty' },
    'html',
  )
  expect((await ask()).status).toBe(401)
  expect((await ask()).status).toBe(429)
  const failure = await ask('secret prompt')
  expect(failure.status).toBe(500)
  expect(await failure.text()).toMatch(/sk-test.*secret prompt/)
  expect(await content(await ask())).toEqual({ triplets })
  expect(((await (await ask()).json()) as { choices: unknown[] }).choices).toEqual([])
  expect(await (await ask()).text()).toContain('<h1>')
  expect((await content(await ask('One two three'))).triplets).toHaveLength(1)
})

test('can reset the connection, never answer, and answer malformed data', async () => {
  provider.next('reset', 'hang', 'broken-json', 'huge', 'refusal', 'cut-off')
  await expect(ask()).rejects.toThrow('fetch failed')
  await expect(ask(undefined, 300)).rejects.toThrow(/timeout/)
  await expect((await ask()).json()).rejects.toThrow(SyntaxError)
  expect((await content(await ask())).triplets).toHaveLength(201)
  const message = async () =>
    ((await (await ask()).json()) as { choices: { finish_reason: string; message: { refusal: string } }[] })
      .choices[0]!
  expect((await message()).message.refusal).toContain('sorry')
  expect((await message()).finish_reason).toBe('length')
})
