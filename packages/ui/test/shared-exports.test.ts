import { expect, test } from 'vitest'
import { version } from '../package.json'
import * as ui from '../src'
import * as overlays from '../src/overlays'
import * as router from '../src/router'

// Independently deployed sections rely on these exports. Raise the minor version for a new export and the
// major version for a removed one, then update the list with `npx vitest run packages/ui/ -u`.
test('changes the version with the exports of the shared modules', async () => {
  const lines = Object.entries({ ui, overlays, router }).map(
    ([name, module]) => `${name}: ${Object.keys(module).sort().join(' ')}`,
  )
  await expect([version, ...lines, ''].join('\n')).toMatchFileSnapshot('shared-exports.txt')
})
