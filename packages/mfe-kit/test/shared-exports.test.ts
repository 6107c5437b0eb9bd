import { expect, test } from 'vitest'
import { version } from '../package.json'
import * as query from '../src/query'

// Independently deployed sections rely on these exports. Raise the minor version for a new export and the
// major version for a removed one, then update the list with `npx vitest run packages/mfe-kit/ -u`.
test('changes the version with the exports of the shared module', async () => {
  const line = `query: ${Object.keys(query).sort().join(' ')}`
  await expect([version, line, ''].join('\n')).toMatchFileSnapshot('shared-exports.txt')
})
