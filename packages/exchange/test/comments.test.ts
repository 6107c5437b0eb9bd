import { type Comment, LIMITS } from '@iodine/contracts'
import { anIod } from '@iodine/test-kit/iods'
import { describe, expect, it } from 'vitest'
import { commentOfNote, readComments } from '../src/comments.js'
import { toMispEvent, toStixBundle } from '../src/index.js'
import { campaign } from './campaigns.js'

const comment: Comment = {
  id: 'c'.repeat(24),
  content: 'Seen <b>before</b>',
  user_id: null,
  username: 'di',
  created_at: '2026-11-20T10:00:00.000Z',
}
const imported = { id: comment.id, author: 'di', content: comment.content, created_at: comment.created_at }

describe('comments of a file', () => {
  it('are read once each, with the author’s name', () => {
    expect(readComments([comment, { ...comment, content: 'Later' }, comment])).toEqual({
      comments: [imported],
      refused: 2,
    })
    expect(readComments([{ ...comment, username: null }]).comments).toEqual([
      { ...imported, author: 'Unknown' },
    ])
    expect(readComments({})).toEqual({ comments: [], refused: 0 })
  })

  it.each([
    ['no object', 'text'],
    ['no id', { ...comment, id: undefined }],
    ['a blank text', { ...comment, content: '\u200b ' }],
    ['a long text', { ...comment, content: 'x'.repeat(LIMITS.commentMax + 1) }],
    ['a long name', { ...comment, username: 'x'.repeat(LIMITS.commentAuthorMax + 1) }],
    ['a number as name', { ...comment, username: 7 }],
    ['no time', { ...comment, created_at: 'yesterday' }],
    ['a damaged character', { ...comment, content: 'a\ud800' }],
  ])('are refused with %s', (_, given) => {
    expect(readComments([given])).toEqual({ comments: [], refused: 1 })
  })

  it('are bounded', () => {
    const many = Array.from({ length: LIMITS.commentsMax + 1 }, (_, n) => ({
      ...comment,
      id: n.toString(16).padStart(24, '0'),
    }))
    const { comments, refused } = readComments(many)
    expect([comments.length, refused]).toEqual([LIMITS.commentsMax, 1])
  })
})

describe('a note', () => {
  const iod = anIod({ comments: [comment] })
  const edited = '2026-11-20T11:00:00.000Z'
  const statement = { uid: iod.id, confidence: null, since: iod.created_at, tlp: null }
  const statements = new Map([[iod.id, { ...statement, edited: { [comment.id]: edited } }]])

  it('is a comment only in Iodine’s bundles', () => {
    const { objects } = toStixBundle(campaign([iod]), { now: new Date() })
    const note = objects.find(({ type }) => type === 'note') ?? {}
    const { about, comment: found } = commentOfNote(note) ?? {}
    expect(about).toEqual([objects.find(({ type }) => type === 'indicator')?.id])
    expect(readComments([found]).comments).toEqual([imported])
    expect(
      commentOfNote({ ...note, external_references: [{ source_name: 'other', external_id: comment.id }] }),
    ).toBe(undefined)
    expect(commentOfNote({ ...note, external_references: undefined })).toBe(undefined)
  })

  it('has the time of the comment’s last edit', () => {
    const detail = campaign([iod])
    const context = { now: new Date(), statements }
    const note = toStixBundle(detail, context).objects.find(({ type }) => type === 'note')
    expect(note).toMatchObject({ created: comment.created_at, modified: edited })
    const [attribute] = toMispEvent(detail, context).Event.Attribute
    expect(attribute?.Note).toMatchObject([
      { created: '2026-11-20 10:00:00', modified: '2026-11-20 11:00:00' },
    ])
  })
})
