/** `erased`: all checks passed, but content was removed. */
export type Verdict = 'good' | 'changed' | 'unreadable' | 'erased'

/** The result of one check. */
export interface Check<N extends string = string> {
  name: N
  ok: boolean
  /** The result, as a sentence. */
  says: string
}

export const check = <N extends string>(name: N, ok: boolean, good: string, bad: string): Check<N> => ({
  name,
  ok,
  says: ok ? good : bad,
})

/** Returns the result of a test, or false if it throws: the file may contain anything. */
export const holds = async (test: () => boolean | Promise<boolean>): Promise<boolean> => {
  try {
    return await test()
  } catch {
    return false
  }
}

/** Returns the sentence about a valid signature of a subject. */
export const signedBy = (subject: string, keyId: string, isKeyGiven: boolean): string =>
  isKeyGiven
    ? `${subject} is signed with the given key.`
    : `${subject} is signed with the key in this file, ${keyId}. Compare it with the server’s.`
