import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserConfig } from '@iodine/contracts'
import { notFound } from '@iodine/service-kit'
import type { FastifyInstance } from 'fastify'
import { strToU8, unzipSync, zipSync } from 'fflate'
import type { GatewayConfig } from '../config.js'

const PACKAGE = /^iodine-collector-[\w.]+-(?:chromium\.zip|firefox\.xpi)$/
const TYPES = { zip: 'application/zip', xpi: 'application/x-xpinstall' }
/** A file of every signed add-on. A signature covers all files, so that such a package is served unchanged. */
const SIGNATURE = 'META-INF/mozilla.rsa'
/** Fixed timestamp: the same build yields the same bytes. */
const MTIME = new Date(1980, 0, 1)

const folderOf = (config: GatewayConfig) => join(config.WEB_ROOT, 'extension', 'dist')

const endOf = (name: string) => (name.endsWith('.xpi') ? 'xpi' : 'zip')

/**
 * Returns the URLs of the collector extension for Chromium and Firefox: the settings, else the files that this gateway
 * serves, else ''.
 */
export const extensionUrls = async (
  config: GatewayConfig,
): Promise<Pick<BrowserConfig, 'extension_url' | 'extension_firefox_url'>> => {
  const files = await readdir(folderOf(config)).catch(() => [])
  const served = (end: string) => {
    const file = files.find(name => PACKAGE.test(name) && endOf(name) === end)
    return file ? `/extension/${file}` : ''
  }
  return {
    extension_url: config.EXTENSION_URL || served('zip'),
    extension_firefox_url: config.EXTENSION_FIREFOX_URL || served('xpi'),
  }
}

/**
 * Serves the built collector extension for this deployment: it signs in at PUBLIC_URL by default.
 * A signed `.xpi` is served unchanged.
 */
export const addExtension = (app: FastifyInstance, config: GatewayConfig): void => {
  const packed = new Map<string, { builtAt: number; zip: Buffer }>()

  const pack = async (name: string): Promise<Buffer> => {
    const file = join(folderOf(config), name)
    const { mtimeMs: builtAt } = await stat(file)
    const kept = packed.get(name)
    if (kept?.builtAt === builtAt) return kept.zip
    const content = await readFile(file)
    const files = unzipSync(content)
    if (config.PUBLIC_URL && !files[SIGNATURE])
      files['deployment.json'] = strToU8(`${JSON.stringify({ server: new URL(config.PUBLIC_URL).origin })}\n`)
    const zip = files[SIGNATURE] ? content : Buffer.from(zipSync(files, { level: 9, mtime: MTIME }))
    packed.set(name, { builtAt, zip })
    return zip
  }

  app.get<{ Params: { name: string } }>('/extension/:name', async (request, reply) => {
    const { name } = request.params
    if (!PACKAGE.test(name)) throw notFound()
    const zip = await pack(name).catch(() => undefined)
    if (!zip) throw notFound()
    reply.type(TYPES[endOf(name)]).header('cache-control', 'no-cache')
    // Firefox installs an `.xpi` that is no attachment.
    if (endOf(name) === 'zip') reply.header('content-disposition', `attachment; filename="${name}"`)
    return reply.send(zip)
  })
}
