import { foldText } from '@iodine/contracts'

/** Returns the items with a field that contains the text, ignoring case; all items if the text is blank. */
export function search<K extends string, T extends Record<K, string>>(
  items: T[],
  text: string,
  fields: readonly K[],
): T[] {
  const wanted = foldText(text.trim())
  return wanted ? items.filter(item => fields.some(field => foldText(item[field]).includes(wanted))) : items
}
