/** Returns the most frequent spelling; of equally frequent ones the first by code units. Empty without spellings. */
export const labelOf = (spellings: Iterable<readonly [text: string, times: number]>): string => {
  let [label, most] = ['', Number.NEGATIVE_INFINITY]
  for (const [text, times] of spellings)
    if (times > most || (times === most && text < label)) [label, most] = [text, times]
  return label
}
