import { zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { read, telegramChats } from '../src/index.js'

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
  expect(await telegramChats(streamOf(bytesOf(account)), 'telegram-desktop', false)).toEqual(LISTED)
  const zip = zipSync({ 'export/result.json': bytesOf(account), 'export/photos/a.jpg': Uint8Array.of(1) })
  expect(await telegramChats(streamOf(zip), 'telegram-desktop', true)).toEqual(LISTED)
})

test('lists the chat of a single export, and the chats before the end of a cut one', async () => {
  const single = { name: 'News', type: 'public_channel', id: 5, messages: messages(2) }
  expect(await telegramChats(streamOf(bytesOf(single)), 'telegram-desktop', false)).toEqual([
    { id: '5', name: 'News', type: 'public_channel', messages: 2 },
  ])
  const cut = bytesOf(account)
  const at = new TextDecoder().decode(cut).indexOf('Club')
  expect(await telegramChats(streamOf(cut.slice(0, at)), 'telegram-desktop', false)).toEqual(
    LISTED.slice(0, 1),
  )
  expect(
    await telegramChats(streamOf(bytesOf({ ...single, type: 'personal_chat' })), 'telegram-desktop', false),
  ).toEqual([])
})

test('lists the channels of Telethon that have a number only; those that are chosen are read', async () => {
  const message = (id: number, channel_id: number, more: object = {}) => ({
    _: 'Message',
    id,
    peer_id: { _: 'PeerChannel', channel_id },
    date: '2025-11-13T02:13:20+00:00',
    message: 'a',
    ...more,
  })
  const lines = [
    message(1, 15),
    message(2, 16, { _chat: { _: 'Channel', id: 16, username: 'quay_example' } }),
    message(3, 17),
    message(4, 15),
    { _: 'Message', id: 5, peer_id: { _: 'PeerUser', user_id: 7 }, message: 'private' },
  ]
  const text = lines.map(line => JSON.stringify(line)).join('\n')
  const stream = () => streamOf(new TextEncoder().encode(text))
  expect(await telegramChats(stream(), 'telethon', false)).toEqual([
    { id: '15', name: '', type: 'channel', messages: 2 },
    { id: '17', name: '', type: 'channel', messages: 1 },
  ])
  const chats = { 15: { username: 'lantern_example' }, 16: {} }
  const urls = []
  for await (const item of read(
    stream(),
    { format: 'telethon' },
    { file_time: '2025-11-20T09:00:00.000Z', chats },
  ))
    urls.push(
      'record' in item ? (item.record as { telegram: { post: { url: string } } }).telegram.post.url : item,
    )
  expect(urls).toEqual([
    'https://t.me/lantern_example/1',
    'https://t.me/quay_example/2',
    { skipped: 'chat-not-chosen', line: 3 },
    'https://t.me/lantern_example/4',
    { skipped: 'chat-not-chosen', line: 5 },
  ])
})
