/**
 * `npm run test:nodes -- [20.19 24 26]`: runs `npm test` under each version of Node in sequence, then prints
 * a summary. The binaries come from the npm package `node`.
 */
import { execFileSync } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import { main, must, Refusal, root, run, say, seconds } from './lib/run.mjs'

const VERSIONS = ['20.19', '24', '26']
const platform = process.platform === 'win32' ? 'win' : process.platform

/**
 * Installs the newest release of a Node version outside of the workspace if missing. Returns the path of its binary.
 */
async function nodeOf(version) {
  const name = `node-${platform}-${process.arch}`
  const folder = join(root, 'node_modules/.cache/iodine/nodes', version)
  const options = ['--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--loglevel', 'error']
  await must(`Installing Node ${version}`, 'npm', ['install', ...options, `${name}@${version}`])
  return join(folder, 'node_modules', name, 'bin', platform === 'win' ? 'node.exe' : 'node')
}

await main(async () => {
  const versions = process.argv.length > 2 ? process.argv.slice(2) : VERSIONS
  for (const version of versions)
    if (!/^\d+(\.\d+){0,2}$/.test(version)) throw new Refusal(`not a version of Node: ${version}`)
  const results = []
  for (const version of versions) {
    const node = await nodeOf(version)
    const exact = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
    say(`\n━━━━ Node ${exact}`)
    const started = Date.now()
    // Child processes started as `node` must also use this binary.
    const env = { PATH: `${dirname(node)}${delimiter}${process.env.PATH}` }
    const code = await run(node, ['scripts/test.mjs'], { env })
    results.push({ code, line: `Node ${exact}: ${code === 0 ? 'green' : 'RED'}, ${seconds(started)}` })
  }
  say('')
  for (const { line } of results) say(line)
  const red = results.filter(({ code }) => code !== 0).length
  if (red > 0) throw new Refusal(`npm test failed under ${red} of ${results.length} versions of Node.`)
})
