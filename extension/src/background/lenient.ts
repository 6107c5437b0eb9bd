import type { z } from 'zod'

/** The used fields of zod's issues. */
interface Issue {
  readonly code?: string | undefined
  /** The issues of each branch of a union. */
  readonly errors?: readonly (readonly Issue[])[]
}

/** Returns whether an issue reports only unknown keys, in the value or in one branch of a union. */
const isFurtherKeys = ({ code, errors }: Issue): boolean =>
  code === 'unrecognized_keys' ||
  (code === 'invalid_union' &&
    (errors ?? []).some(branch => branch.length > 0 && branch.every(isFurtherKeys)))

/**
 * Returns whether a response matches its schema, apart from unknown keys: an installed extension must stay usable with
 * a newer server.
 */
export const isAnswer = (schema: z.ZodType, body: unknown): boolean => {
  const { success, error } = schema.safeParse(body)
  return success || error.issues.every(issue => isFurtherKeys(issue as Issue))
}
