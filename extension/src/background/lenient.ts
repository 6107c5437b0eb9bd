import type { z } from 'zod'

/** The fields of zod's issues that are read here. */
interface Issue {
  readonly code?: string | undefined
  /** The issues of each branch of a union. */
  readonly errors?: readonly (readonly Issue[])[]
}

/** Whether nothing but further keys is wrong: with the value, or with it as one branch of a union. */
const isFurtherKeys = ({ code, errors }: Issue): boolean =>
  code === 'unrecognized_keys' ||
  (code === 'invalid_union' &&
    (errors ?? []).some(branch => branch.length > 0 && branch.every(isFurtherKeys)))

/**
 * Whether an answer is what its schema says, or that with keys which the schema does not know: an installed
 * copy stays usable when a newer server says more.
 */
export const isAnswer = (schema: z.ZodType, body: unknown): boolean => {
  const { success, error } = schema.safeParse(body)
  return success || error.issues.every(issue => isFurtherKeys(issue as Issue))
}
