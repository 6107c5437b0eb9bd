import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { notFound } from '@iodine/service-kit'
import type { FastifyInstance } from 'fastify'
import { strToU8, unzipSync, zipSync } from 'fflate'
import type { GatewayConfig } from '../config.js'

const ZIP = /^iodine-collector-[\w.]+-(chromium|firefox)\.zip$/
/** Fixed timestamp: the same build yields the same bytes. */
const MTIME = new Date(1980, 0, 1)

const folderOf = (config: GatewayConfig) => join(config.WEB_ROOT, 'extension', 'dist')

/** Returns the URL of the collector extension: the setting, else the zip that this gateway serves, else ''. */
export const extensionUrl = async (config: GatewayConfig): Promise<string> => {
  if (config.EXTENSION_URL) return config.EXTENSION_URL
  const files = await readdir(folderOf(config)).catch(() => [])
  const zip = files.find(name => ZIP.exec(name)?.[1] === 'chromium')
  return zip ? `/extension/${zip}` : ''
}

/**
 * Serves the built collector extension as a zip for this deployment: it signs in at PUBLIC_URL by default.
 */
export const addExtension = (app: FastifyInstance, config: GatewayConfig): void => {
  const packed = new Map<string, { builtAt: number; zip: Buffer }>()

  const pack = async (name: string): Promise<Buffer> => {
    const file = join(folderOf(config), name)
    const { mtimeMs: builtAt } = await stat(file)
    const kept = packed.get(name)
    if (kept?.builtAt === builtAt) return kept.zip
    const files = unzipSync(await readFile(file))
    if (config.PUBLIC_URL)
      files['deployment.json'] = strToU8(`${JSON.stringify({ server: new URL(config.PUBLIC_URL).origin })}\n`)
    const zip = Buffer.from(zipSync(files, { level: 9, mtime: MTIME }))
    packed.set(name, { builtAt, zip })
    return zip
  }

  app.get<{ Params: { name: string } }>('/extension/:name', async (request, reply) => {
    const { name } = request.params
    if (!ZIP.test(name)) throw notFound()
    const zip = await pack(name).catch(() => undefined)
    if (!zip) throw notFound()
    return reply
      .type('application/zip')
      .header('cache-control', 'no-cache')
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(zip)
  })
}
