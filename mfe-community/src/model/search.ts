const MIN_LENGTH = 3

/** Returns the search term: empty, or at least three characters. Undefined if the typed text is too short. */
export const searchTerm = (typed: string): string | undefined => {
  const term = typed.trim()
  return term === '' || term.length >= MIN_LENGTH ? term : undefined
}
