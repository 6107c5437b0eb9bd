import type { Category, Iod } from '@iodine/contracts'

let made = 0
const id = (): string => (++made).toString(16).padStart(24, '0')

export const iod = (value: string, category: Category = 'SENTENCE'): Iod => ({
  id: id(),
  value,
  category,
  description: '',
  source_type: 'MANUAL',
  source: null,
  source_id: null,
  created_by: 'ann',
  created_by_id: id(),
  created_by_username: 'ann',
  created_at: '2026-11-20T10:00:00.000Z',
  votes: [],
  comments: [],
})
