import { readFileSync } from 'node:fs'

const file = new URL('../../package.json', import.meta.url)

/** The product's version; all parts of a release have the same. */
export const VERSION: string = JSON.parse(readFileSync(file, 'utf8')).version
