import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { zipSync } from 'fflate'
import { manifestFor, packageExtension, TARGETS } from './manifest.mjs'

/** The time of all files in a zip, for reproducible builds. The times of the zip format start in 1980. */
const MTIME = new Date(1980, 0, 1)
const SERVER = process.env.EXTENSION_SERVER ?? 'http://localhost:8080'

const listFiles = async folder => {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  return entries
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
}

/**
 * Packs the built files, for each browser, as a folder to load unpacked and a file for the store:
 * `chromium/` and `iodine-collector-0.1.0-chromium.zip`, `firefox/` and `iodine-collector-0.1.0-firefox.xpi`.
 */
export async function packExtension(built, out) {
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
  const json = value => Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
  const names = await listFiles(built)
  const read = name => readFile(join(built, name))
  const isOfOne = name => TARGETS.some(target => name.startsWith(`${target}/`))
  const common = await Promise.all(
    names.filter(name => !isOfOne(name)).map(async name => [name, await read(name)]),
  )
  for (const name of await readdir(out)) if (/\.(zip|xpi)$/.test(name)) await rm(join(out, name))
  for (const target of TARGETS) {
    const files = Object.fromEntries(
      [
        ...common,
        ['content.js', await read(`${target}/content.js`)],
        ['manifest.json', json(manifestFor(target, version))],
        ['deployment.json', json({ server: SERVER })],
      ].sort(([a], [b]) => (a < b ? -1 : 1)),
    )
    await rm(join(out, target), { recursive: true, force: true })
    for (const [name, content] of Object.entries(files)) {
      const file = join(out, target, name)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, content)
    }
    await writeFile(
      join(out, `iodine-collector-${version}-${target}.${packageExtension(target)}`),
      zipSync(files, { level: 9, mtime: MTIME }),
    )
  }
}
