/** The items of which a field contains the text, in any case; all of them where the text is blank. */
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
