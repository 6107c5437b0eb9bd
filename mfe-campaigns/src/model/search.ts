/** The items with a field that contains the text, ignoring case; all items if the text is blank. */
export function search<K extends string, T extends Record<K, string>>(
  items: T[],
  text: string,
  fields: readonly K[],
): T[] {
  const wanted = text.trim().toLowerCase()
  return wanted
    ? items.filter(item => fields.some(field => item[field].toLowerCase().includes(wanted)))
    : items
}
