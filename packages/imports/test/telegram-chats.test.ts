import { zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { telegramChats } from '../src/index.js'

const streamOf = (bytes: Uint8Array) => new Blob([bytes as Uint8Array<ArrayBuffer>]).stream()
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const messages = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, type: 'message', text: 'a' }))

const account = {
  about: 'Here is the data you requested.',
  personal_information: { phone_number: '+000' },
  chats: {
    list: [
      { type: 'saved_messages', id: 1, messages: messages(2) },
      { name: 'Ada', type: 'personal_chat', id: 2, messages: messages(2) },
      { name: '<b>News</b>', type: 'public_channel', id: 1500000001, messages: messages(3) },
      { name: 'Club', type: 'private_supergroup', id: 7, messages: [] },
    ],
  },
  left_chats: { list: [{ name: 'Old', type: 'private_channel', id: 8, messages: messages(1) }] },
}
const LISTED = [
  { id: '1500000001', name: '<b>News</b>', type: 'public_channel', messages: 3 },
  { id: '7', name: 'Club', type: 'private_supergroup', messages: 0 },
  { id: '8', name: 'Old', type: 'private_channel', messages: 1 },
]

test('lists channels and supergroups of an account, also of an archive, and no conversations', async () => {
  expect(await telegramChats(streamOf(bytesOf(account)), false)).toEqual(LISTED)
  const zip = zipSync({ 'export/result.json': bytesOf(account), 'export/photos/a.jpg': Uint8Array.of(1) })
  expect(await telegramChats(streamOf(zip), true)).toEqual(LISTED)
})

test('lists the chat of a single export, and the chats before the end of a cut one', async () => {
  const single = { name: 'News', type: 'public_channel', id: 5, messages: messages(2) }
  expect(await telegramChats(streamOf(bytesOf(single)), false)).toEqual([
    { id: '5', name: 'News', type: 'public_channel', messages: 2 },
  ])
  const cut = bytesOf(account)
  const at = new TextDecoder().decode(cut).indexOf('Club')
  expect(await telegramChats(streamOf(cut.slice(0, at)), false)).toEqual(LISTED.slice(0, 1))
  expect(await telegramChats(streamOf(bytesOf({ ...single, type: 'personal_chat' })), false)).toEqual([])
})
