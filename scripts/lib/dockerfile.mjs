import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import { must, Refusal } from './run.mjs'

/** Reads a Dockerfile's stages by name: the base of each and its instructions in order. */
export function readStages(file) {
  const stages = new Map()
  let steps
  const text = readFileSync(file, 'utf8')
    .replace(/^#.*\n/gm, '')
    .replaceAll('\\\n', '')
  for (const line of text.split('\n').filter(line => line.trim() !== '')) {
    const [, instruction, rest] = /^(\w+)\s+(.*)$/.exec(line.trim())
    if (instruction === 'FROM') {
      const [, from, name] = /^(\S+) AS (\S+)$/.exec(rest)
      steps = []
      stages.set(name, { from, steps })
    } else steps.push({ instruction, rest })
  }
  return stages
}

/** Instructions without files: functions that apply each to the image or to the build's arguments. */
const SETTINGS = {
  ARG(_image, rest, args) {
    const [name, fallback] = rest.split('=')
    args[name] ??= fallback
  },
  ENV: (image, rest) =>
    Object.assign(image.env, Object.fromEntries(rest.split(' ').map(pair => pair.split('=')))),
  WORKDIR: (image, rest) => Object.assign(image, { cwd: rest }),
  CMD: (image, rest) => Object.assign(image, { command: JSON.parse(rest) }),
  HEALTHCHECK: (image, rest) =>
    Object.assign(image, { health: JSON.parse(rest.slice(rest.indexOf('CMD ') + 4)) }),
  USER: (image, rest) => Object.assign(image, { user: rest }),
  EXPOSE() {},
}

/**
 * Returns an image's metadata: environment, working directory, command, health check and user.
 * @param {Record<string, string>} args the build's arguments, to which defaults are added
 */
export function readImage(stages, name, args) {
  const { from, steps } = stages.get(name)
  const image = stages.has(from) ? readImage(stages, from, args) : { env: {}, cwd: '/' }
  for (const { instruction, rest } of steps) SETTINGS[instruction]?.(image, rest, args)
  return image
}

/**
 * Runs a stage's steps in a folder that represents the container's file system, without a container. A stage starts from
 * the files of its base stage, so stages must be created in order.
 * @param {{ folder: string, context: string, stages: Map, name: string, args?: Record<string, string> }}
 *   options context: the folder that COPY copies from
 */
export async function makeStage({ folder, context, stages, name, args = {} }) {
  const { env, cwd } = readImage(stages, name, args)
  for (const { instruction, rest } of stages.get(name).steps) {
    if (instruction === 'COPY') copy({ folder, context, cwd, rest })
    else if (instruction === 'RUN') {
      const command = rest.replace(/(?<![\w./-])\/(src|web|app)\b/g, (_, top) => join(folder, top))
      await must(`RUN ${rest}`, 'sh', ['-c', command], { cwd: join(folder, cwd), env: { ...args, ...env } })
    } else if (!SETTINGS[instruction]) throw new Refusal(`The instruction ${instruction} is not supported.`)
  }
}

function copy({ folder, context, cwd, rest }) {
  const paths = rest.split(' ')
  const to = join(folder, posix.resolve(cwd, paths.pop()))
  mkdirSync(to, { recursive: true })
  const isIgnored = ignoreRules(context)
  const filter = source => !isIgnored(relative(context, source))
  for (const path of paths)
    cpSync(join(context, path), join(to, path), { recursive: true, verbatimSymlinks: true, filter })
}

/**
 * Returns a matcher for .dockerignore: `*` matches within one name, and a leading `**\/` matches any number of folders.
 */
export function ignoreRules(context) {
  const patterns = readFileSync(join(context, '.dockerignore'), 'utf8')
    .split('\n')
    .filter(line => line && !line.startsWith('#'))
    .map(line => {
      const [, deep, rest] = /^(\*\*\/)?(.*)$/.exec(line)
      const name = rest.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*')
      return new RegExp(`^${deep ? '(?:.*/)?' : ''}${name}(?:/|$)`)
    })
  return path => patterns.some(pattern => pattern.test(path))
}
