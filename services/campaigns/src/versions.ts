/**
 * Returns whether a version is older than another: times of RFC 3339 in UTC, whose fractions may differ in length.
 */
export const isOlder = (version: string, than: string): boolean =>
  version.replace(/Z$/, '') < than.replace(/Z$/, '')
