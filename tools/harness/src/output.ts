import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/**
 * Resolves to the URL that a process prints as `ready URL`. Rejects with the process's output if it exits first or is not
 * ready within `ms`.
 */
export const readyAddress = (child: ChildProcess, ms: number): Promise<string> => {
  let output = ''
  let timer: NodeJS.Timeout | undefined
  return new Promise<string>((resolve, reject) => {
    const fail = (how: string) => reject(new Error(`the app ${how}:\n${output}`))
    timer = setTimeout(() => fail('was not ready in time'), ms)
    child.once('close', code => fail(`ended with ${code}`))
    child.stderr?.on('data', chunk => {
      output += chunk
    })
    createInterface(child.stdout as Readable).on('line', line => {
      output += `${line}\n`
      const address = /^ready (http\S+)/.exec(line)?.[1]
      if (address) resolve(address)
    })
  }).finally(() => clearTimeout(timer))
}
