const MIN_LENGTH = 3

/** The term that a search asks for: one of three characters or more, or none; undefined while it is too short to ask. */
export const searchTerm = (typed: string): string | undefined => {
  const term = typed.trim()
  return term === '' || term.length >= MIN_LENGTH ? term : undefined
}
