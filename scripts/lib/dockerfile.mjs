import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { must, Refusal } from './run.mjs'

/** A Dockerfile's stages by name: what each is made from, and its instructions in their order. */
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

/**
 * Does a stage's steps in a folder that stands for the container's file system: the same commands on the same files, without
 * a container. A stage begins with what the stage that it is made from has left, so that stages are made in their order.
 * @param {{ folder: string, context: string, stages: Map, name: string, args?: Record<string, string> }} options context: the
 *   folder that COPY copies from
 * @returns {Promise<object>} the image: its environment, working directory, command and health check, as paths of this machine
 */
export async function makeStage({ folder, context, stages, name, args = {} }) {
  const stage = stages.get(name)
  const inherited = stages.has(stage.from)
    ? await readImage({ folder, stages, name: stage.from, args })
    : { env: {}, cwd: '/' }
  const image = structuredClone(inherited)
  for (const { instruction, rest } of stage.steps) {
    if (isSetting(image, instruction, rest, args)) continue
    if (instruction === 'COPY') copy({ folder, context, image, rest })
    else if (instruction === 'RUN') {
      const command = rest.replace(/(?<![\w./-])\/(src|web|app)\b/g, (_, top) => join(folder, top))
      await must(`RUN ${rest}`, 'sh', ['-c', command], {
        cwd: join(folder, image.cwd),
        env: { ...args, ...image.env },
      })
    } else throw new Refusal(`Nobody here knows what ${instruction} does.`)
  }
  return image
}

/** What an image says without its files. */
export function readImage({ folder, stages, name, args = {} }) {
  const stage = stages.get(name)
  const image = stages.has(stage.from)
    ? readImage({ folder, stages, name: stage.from, args })
    : { env: {}, cwd: '/' }
  for (const { instruction, rest } of stage.steps) isSetting(image, instruction, rest, args)
  return image
}

function isSetting(image, instruction, rest, args) {
  switch (instruction) {
    case 'ARG': {
      const [name, fallback] = rest.split('=')
      args[name] ??= fallback
      return true
    }
    case 'ENV':
      for (const pair of rest.split(' ')) {
        const [name, value] = pair.split('=')
        image.env[name] = value
      }
      return true
    case 'WORKDIR':
      image.cwd = rest
      return true
    case 'CMD':
      image.command = JSON.parse(rest)
      return true
    case 'HEALTHCHECK':
      image.health = JSON.parse(rest.slice(rest.indexOf('CMD ') + 4))
      return true
    case 'USER':
      image.user = rest
      return true
    case 'EXPOSE':
      return true
    default:
      return false
  }
}

function copy({ folder, context, image, rest }) {
  const [, stage, paths] = /^(?:--from=(\S+) )?(.+)$/.exec(rest)
  const words = paths.split(' ')
  const to = join(folder, words.at(-1).startsWith('/') ? '' : image.cwd, words.at(-1))
  mkdirSync(to, { recursive: true })
  for (const path of words.slice(0, -1)) {
    // Stages share one file system here.
    if (stage) continue
    const isIgnored = ignoreRules(context)
    const target = path === '.' ? to : join(to, path)
    cpSync(join(context, path), target, {
      recursive: true,
      verbatimSymlinks: true,
      filter: source => !isIgnored(relative(context, source)),
    })
  }
}

/** .dockerignore's patterns: `*` stands for anything within a name, and a leading `**\/` for any folders or none. */
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
