/**
 * `npm run bench -- NAME …`: compiles and runs `tools/bench/src/NAME.ts`; further arguments are passed to it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { build } from './build.mjs'
import { install } from './lib/install.mjs'
import { importCompiled, main, Refusal } from './lib/run.mjs'
import { ensureBrowser } from './lib/system.mjs'

await main(async () => {
  const [name = ''] = process.argv.splice(2, 1)
  const source = `tools/bench/src/${name}.ts`
  if (!existsSync(source)) {
    const names = readdirSync('tools/bench/src').filter(file => file.endsWith('.ts'))
    throw new Refusal(
      `npm run bench -- NAME, where NAME is one of: ${names.map(file => file.slice(0, -3)).join(', ')}`,
    )
  }
  await install()
  const browser =
    /launch(Browser|WithExtension)/.test(readFileSync(source, 'utf8')) && (await ensureBrowser())
  if (browser) process.env.CHROMIUM_PATH = browser
  await build()
  await importCompiled(`tools/bench/dist/${name}.js`)
})
