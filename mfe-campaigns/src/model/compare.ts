/** Unchanged lines that are shown before and after a change. */
const CONTEXT = 2
const TIMEOUT_MS = 2_000

export type LineKind = 'added' | 'removed' | 'same' | 'gap'

export interface Line {
  kind: LineKind
  text: string
}

/**
 * Returns the lines in which two texts differ, with their context; none if they are equal.
 * @throws Error if the comparison takes longer than two seconds
 */
export const compareTexts = async (before: string, after: string): Promise<Line[]> => {
  if (before === after) return []
  const { diffLines } = await import('diff')
  const parts = diffLines(before, after, { timeout: TIMEOUT_MS })
  if (!parts) throw new Error('The versions differ too much')
  return parts.flatMap(({ value, added, removed }, at): Line[] => {
    const lines = value.replace(/\n$/, '').split('\n')
    if (added || removed) return lines.map(text => ({ kind: added ? 'added' : 'removed', text }))
    const same = (text: string): Line => ({ kind: 'same', text })
    const head = at === 0 ? [] : lines.slice(0, CONTEXT)
    const tail = at === parts.length - 1 ? [] : lines.slice(-CONTEXT)
    if (head.length + tail.length >= lines.length) return lines.map(same)
    return [...head.map(same), { kind: 'gap', text: '…' }, ...tail.map(same)]
  })
}
