const MIN_LENGTH = 3

/** The search term: empty, or three characters or more. Undefined if the typed text is too short. */
export const searchTerm = (typed: string): string | undefined => {
  const term = typed.trim()
  return term === '' || term.length >= MIN_LENGTH ? term : undefined
}
