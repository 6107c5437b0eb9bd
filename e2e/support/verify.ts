import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'

const ROOT = join(import.meta.dirname, '../..')
/** Preloaded module that rejects all connections. */
const NO_NETWORK = `data:text/javascript,${encodeURIComponent(
  'import net from "node:net"; net.Socket.prototype.connect = () => { throw new Error("connection attempted") }',
)}`

/** Chooses a file on /verify. */
export const choose = (page: Page, name: string, buffer: Buffer) =>
  page.getByLabel('Files', { exact: true }).setInputFiles({ name, mimeType: 'application/wacz', buffer })
export const checks = (page: Page) => page.getByRole('list', { name: 'Checks' }).getByRole('listitem')
export const failing = (page: Page) => checks(page).filter({ has: page.getByLabel('Fails') })

/** Flips one bit of a URL in the manifest of a file. */
export const flipAddress = (wacz: Buffer, address: string): Buffer => {
  const flipped = Buffer.from(wacz)
  const at = flipped.indexOf(address, flipped.indexOf('iodine/manifest.json'))
  flipped[at] = (flipped[at] ?? 0) ^ 1
  return flipped
}

/**
 * Checks a file with the script of `npm run verify`, a key file and no network.
 * @param file null for a missing file
 * @returns the exit status and the output
 */
export const verifyByCommand = async (file: Buffer | null, pem: string): Promise<[unknown, string]> => {
  const folder = await mkdtemp(join(tmpdir(), 'iodine-journey-'))
  const [path, key] = [join(folder, 'capture.wacz'), join(folder, 'key.pem')]
  try {
    if (file) await writeFile(path, file)
    await writeFile(key, pem)
    return await new Promise(resolve =>
      execFile(
        process.execPath,
        ['--import', NO_NETWORK, join(ROOT, 'scripts/verify.mjs'), path, '--key', key],
        { cwd: ROOT },
        (error, _stdout, stderr) => resolve([error?.code ?? 0, stderr]),
      ),
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}
