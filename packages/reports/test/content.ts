import type { ReportContent } from '@iodine/contracts'

const HASH = 'ab'.repeat(32)
const AT = '2026-11-20T10:00:00.000Z'

/** Returns the content of a report, with parts replaced. */
export const contentOf = (parts: Partial<ReportContent> = {}): ReportContent => ({
  v: 1,
  url: 'https://iodine.example/reports/abcdefghijklmnop/v1',
  slug: 'abcdefghijklmnop',
  n: 1,
  made_at: '2026-11-28T07:00:00.000Z',
  first_at: null,
  site: {
    name: 'Iodine',
    url: 'https://iodine.example',
    contact: 'contact@iodine.example',
    legal_notice: 'Example Institute',
  },
  language: 'en',
  title: 'Copies of newspapers',
  aliases: ['Mirror'],
  authors: ['ada'],
  licence: 'CC-BY-4.0',
  doi: null,
  listed: false,
  change: '',
  summary: 'Pages that copy newspapers, seen at https://copy.example/page.',
  findings: [{ text: 'Two domains share one owner.', confidence: 'medium', exhibits: [1] }],
  unknown: 'Who pays for it.',
  method: 'Collected by hand.\n\n- first\n- second',
  attribution: null,
  references: [{ title: 'A report', url: 'https://news.example/a?b=1&c=2' }],
  exhibits: [
    {
      n: 1,
      quote: 'Read it at https://copy.example/page today',
      url: 'https://copy.example/page',
      captured_at: '2026-11-20',
      collector: null,
      manifest_hash: HASH,
      seq: null,
    },
  ],
  indicators: [
    {
      uid: '507f1f77bcf86cd799439011',
      value: 'copy.example',
      category: 'DOMAIN',
      description: 'A copy',
      first_seen: AT,
      last_seen: AT,
      exhibits: [1],
      votes: { for: 3, against: 1 },
    },
    {
      uid: '507f1f77bcf86cd799439012',
      value: '=cmd|calc',
      category: 'KEYWORDS',
      description: '',
      first_seen: AT,
      last_seen: AT,
      exhibits: [],
      votes: { for: 0, against: 0 },
    },
  ],
  held_back: [{ category: 'USERNAME', count: 14 }],
  techniques: [{ id: 'T0023', exhibits: [1], quotes: 2 }],
  disarm: '1.9',
  ...parts,
})
