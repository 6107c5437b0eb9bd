import { extraction } from '@iodine/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ChatServer, RULES_MODEL, startOfflineAi } from '../src/index.js'
import { ruleTriplets } from '../src/triplets.js'

describe('ruleTriplets', () => {
  const tripletTexts = (text: string) =>
    ruleTriplets(text).map(({ subject, verb, object }) => `${subject} | ${verb} | ${object}`)

  it.each([
    ['Giant mirrors heat Lake Varnel.', ['Giant mirrors | heat | Lake Varnel']],
    [
      'The company bought four thousand mirrors and turned them to the lake.',
      ['The company | bought | four thousand mirrors', 'The company | turned | them to the lake'],
    ],
    ['The fish are dying because the mirrors boil the water.', ['the mirrors | boil | the water']],
    [
      'The engineers who built the tower measured the wind.',
      ['The engineers | built | the tower', 'The engineers | measured | the wind'],
    ],
    ['Three fishermen were asked to sign a paper.', ['Three fishermen | were asked to sign | a paper']],
    ["The water didn't turn anybody blue.", ["The water | didn't turn | anybody blue"]],
    ['"We saw the light," says Captain Osk.', ['We | saw | the light']],
    ['An advertiser pays Captain Osk.', ['An advertiser | pays | Captain Osk']],
    ['A blogger posts the memo.', ['A blogger | posts | the memo']],
    ['Hurry! Share before it is gone!', []],
    ['', []],
    ['المرايا العملاقة تسخن البحيرة. 彼らは数字を隠している。🐟', []],
  ])('extracts the triplets of %j', (text, triplets) => {
    expect(tripletTexts(text)).toEqual(triplets)
  })

  it('returns triplets within the limits of the contract for long and hostile texts', {
    tags: 'long',
  }, () => {
    const long = `${'very '.repeat(300)}large mirrors heat ${'very '.repeat(300)}deep lakes. `
    for (const text of [
      long,
      'Giant mirrors heat Lake Varnel. '.repeat(300),
      '<script>heat</script> "]}, \\u0000 and {{x}}',
    ])
      expect(extraction.safeParse({ triplets: ruleTriplets(text) }).error).toBeUndefined()
    expect(ruleTriplets('Giant mirrors heat Lake Varnel. '.repeat(300))).toHaveLength(200)
  })
})

describe('startOfflineAi', () => {
  let server: ChatServer
  beforeAll(async () => {
    server = await startOfflineAi()
  })
  afterAll(() => server?.stop())
  const post = async (
    body: unknown,
    headers: Record<string, string> = { authorization: 'Bearer sk-any' },
  ) => {
    const response = await fetch(`${server.url}/chat/completions`, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, answer: await response.json() }
  }

  it('answers with the triplets of the text between the marker lines, and with the rules as model name', async () => {
    const content = '<text-0a1b>\nGiant mirrors heat Lake Varnel.\n</text-0a1b>'
    const { status, answer } = await post({ model: 'gpt-x', messages: [{ role: 'user', content }] })
    expect(status).toBe(200)
    expect(answer.model).toBe(RULES_MODEL)
    expect(JSON.parse(answer.choices[0].message.content)).toEqual({
      triplets: [{ subject: 'Giant mirrors', verb: 'heat', object: 'Lake Varnel' }],
    })
  })

  it('rejects invalid bodies, requests without a key, and other paths', async () => {
    expect((await post('{')).status).toBe(400)
    expect((await post({ messages: 'none' })).status).toBe(400)
    expect((await post({ messages: [] }, {})).status).toBe(401)
    expect((await fetch(`${server.url}/models`)).status).toBe(404)
  })
})
