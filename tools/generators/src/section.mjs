import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GeneratorError, json, pascal, quoted, readTexts, writeFolder } from './files.mjs'

/** The section whose configuration files are the template. */
const MODEL = 'mfe-community'
const OUTER_FILES = ['package.json', 'rsbuild.config.ts']
const SECTION_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
/** Names of the shell's pages. */
const TAKEN = ['overview', 'admin', 'profile']

/**
 * Generates a section: `mfe-<name>/` with the common configuration files, and an empty page with a test.
 * @param {{ root: string, name: string, label: string }} options label is its name in the menu
 * @returns {Promise<{ written: string[], changed: string[] }>}
 */
export async function newSection({ root, name, label }) {
  if (!SECTION_NAME.test(name) || TAKEN.includes(name))
    throw new GeneratorError(
      `A section can’t be called ${name}: small letters, digits and dashes, such as sources.`,
    )
  const app = `mfe-${name}`
  const component = `${pascal(name)}Page`
  const texts = await readTexts(join(root, MODEL), OUTER_FILES, text => text.replaceAll(MODEL, app))
  const ports = await Promise.all(
    (await readdir(root))
      .filter(folder => folder.startsWith('mfe-'))
      .map(
        async folder => JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8')).section.port,
      ),
  )
  const section = { label, port: Math.max(...ports) + 1 }
  texts['package.json'] = json({ ...JSON.parse(texts['package.json']), version: '0.1.0', section })
  texts['src/parcel.tsx'] = `import { defineParcel } from '@iodine/mfe-kit'
import { ${component} } from './pages/${component}'

export const parcel = defineParcel({ '/': ${component} })
`
  texts[`src/pages/${component}.tsx`] = `import { EmptyState, Page, PageHeader } from '@iodine/ui'

export function ${component}() {
  return (
    <Page>
      <PageHeader title=${JSON.stringify(label)} />
      <EmptyState title="Nothing here yet" />
    </Page>
  )
}
`
  texts[`test/${name}-page.test.tsx`] = `import { openSection } from '@iodine/mfe-kit/testing'
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { parcel } from '../src/parcel'

it('opens', async () => {
  await openSection(parcel, '/dashboard/${name}', '/dashboard/${name}', {})
  expect(await screen.findByRole('heading', { name: ${quoted(label)} })).toBeTruthy()
})
`
  return { written: await writeFolder(root, app, texts), changed: [] }
}
