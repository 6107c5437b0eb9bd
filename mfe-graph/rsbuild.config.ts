import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineRemote } from '@iodine/build-kit'
import type { RsbuildConfig } from '@rsbuild/core'

const here = import.meta.dirname
const { source, ...remote } = defineRemote(here)

/** A hash of the workers' sources, so that an open page never loads a worker of another version. */
const version = hashOf(['package.json', ...filesOf('src/model'), ...filesOf('src/stage')])

/**
 * The workers have a separate build environment. Bundled with the remote, each would contain a part of Module
 * Federation's runtime, which does not run without the shell.
 */
export default {
  ...remote,
  environments: {
    web: { source: { ...source, define: { WORKER_VERSION: JSON.stringify(version) } } },
    workers: {
      source: {
        entry: {
          layout: './src/stage/layout.worker.ts',
          draw: './src/stage/draw.worker.ts',
          'co-shares': './src/stage/co-shares.worker.ts',
        },
      },
      output: {
        target: 'web-worker',
        distPath: { js: 'static/worker' },
        filename: { js: `[name].${version}.js` },
      },
    },
  },
} satisfies RsbuildConfig

function filesOf(folder: string): string[] {
  return readdirSync(join(here, folder)).map(name => join(folder, name))
}

function hashOf(files: string[]): string {
  const hash = createHash('sha256')
  for (const file of files.sort()) hash.update(readFileSync(join(here, file)))
  return hash.digest('hex').slice(0, 8)
}
