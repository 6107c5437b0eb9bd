// A separate entry point, because the glosses are long and rarely needed.
import glosses from '../../data/glosses.json' with { type: 'json' }

const byId: Readonly<Record<string, string>> = glosses

/** Returns one line of at most 120 characters about a current technique; undefined for other ids. */
export const glossOf = (id: string): string | undefined => (Object.hasOwn(byId, id) ? byId[id] : undefined)
