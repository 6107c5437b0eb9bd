/**
 * `npm run sbom [-- FILE]`: writes the bill of materials of the deployed parts, CycloneDX 1.6, to FILE or standard
 * output.
 */
import { writeFileSync } from 'node:fs'
import { install } from './lib/install.mjs'
import { main, root, say } from './lib/run.mjs'

await main(async () => {
  await install()
  // Imported lazily: its dependencies are absent before the first install.
  const { billOfMaterials } = await import('./lib/sbom.mjs')
  const [, , file] = process.argv
  const text = billOfMaterials(root)
  if (!file) return void process.stdout.write(text)
  writeFileSync(file, text)
  say(`${JSON.parse(text).components.length} packages are listed in ${file}.`)
})
