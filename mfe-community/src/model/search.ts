const MIN_LENGTH = 3

/** The term to search for: empty, or of three characters or more. Undefined for one that is too short. */
export const searchTerm = (typed: string): string | undefined => {
  const term = typed.trim()
  return term === '' || term.length >= MIN_LENGTH ? term : undefined
}
