import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A rejected generation, with a message for the user of the command. */
export class GeneratorError extends Error {}

export const pascal = name => name.replace(/(^|-)(\w)/g, (_, _dash, letter) => letter.toUpperCase())
export const json = value => `${JSON.stringify(value, null, 2)}\n`

/** Returns a string literal in the formatter's style. */
export const quoted = text => {
  const inDouble = JSON.stringify(text)
  return text.includes("'") ? inDouble : `'${inDouble.slice(1, -1).replaceAll('\\"', '"')}'`
}

/** Reads files of a folder and applies `change` to each. Resolves to texts by path. */
export async function readTexts(folder, files, change) {
  const texts = {}
  for (const file of files) texts[file] = change(await readFile(join(folder, file), 'utf8'))
  return texts
}

/**
 * Creates a folder with files, given as texts by path.
 * @throws GeneratorError if the folder exists, so that no work is overwritten
 */
export async function writeFolder(root, folder, texts) {
  await mkdir(join(root, folder)).catch(error => {
    throw error.code === 'EEXIST' ? new GeneratorError(`${folder} is there already.`) : error
  })
  for (const [file, text] of Object.entries(texts)) {
    const path = join(root, folder, file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  return Object.keys(texts).map(file => join(folder, file))
}

/** Changes a file's text. @throws GeneratorError if the change has no effect */
export async function edit(root, file, change) {
  const path = join(root, file)
  const before = await readFile(path, 'utf8')
  const after = change(before)
  if (after === before) throw new GeneratorError(`${file} is not as the generator knows it.`)
  await writeFile(path, after)
  return file
}

/** Inserts a line before the first matching one. */
export const before = (text, line, added) => text.replace(line, found => `${added}\n${found}`)
