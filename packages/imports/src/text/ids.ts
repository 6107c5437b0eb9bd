/**
 * Returns an id that its tool did not round: not in scientific notation, not with a fraction and more digits than a
 * double holds, not with the zeros of a spreadsheet's 15 digits. Undefined for a rounded one.
 */
export const exactId = (written: string): string | undefined => {
  const id = written.trim()
  if (/^\d+(?:[.,]\d+)?e\+?\d+$/i.test(id)) return undefined
  const [, whole, fraction] = /^(\d+)(\.0+)?$/.exec(id) ?? []
  if (whole === undefined) return id
  if (fraction && whole.length > 15) return undefined
  return whole.length > 15 && /0{3}$/.test(whole) ? undefined : whole
}
