import { expect, test } from 'vitest'
import { version } from '../package.json'
import * as query from '../src/query'

// Sections that are deployed by themselves rely on these. Raise the minor version for a new export and the major one
// for an export that goes, then update the list with `npx vitest run --project mfe-kit -u`.
test('the version goes with the exports of the shared module', async () => {
  const line = `query: ${Object.keys(query).sort().join(' ')}`
  await expect([version, line, ''].join('\n')).toMatchFileSnapshot('shared-exports.txt')
})
