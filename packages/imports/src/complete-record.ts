import { type RecordContext, type RecordOf, recordContext, type Source } from '@iodine/contracts'
import type { RecordItem } from './types.js'

/** Fields of the context by the names that items use for them. */
const CONTEXT: Readonly<Record<string, keyof RecordContext>> = {
  metrics: 'metrics',
  in_reply_to: 'in_reply_to',
  edited_at: 'edited_at',
  voice_to_text: 'transcript',
  screen_text: 'screen_text',
}

/** Returns an item's record with those values of `also` that its context has a field for. */
export const completeRecord = ({ record, also = {} }: RecordItem): RecordOf[Source] => {
  const more = Object.entries(also).flatMap(([name, value]) => {
    const field = CONTEXT[name]
    return field && recordContext.shape[field].safeParse(value).success ? [[field, value]] : []
  })
  if (more.length === 0) return record
  return { ...record, context: { ...Object.fromEntries(more), ...record.context } }
}
