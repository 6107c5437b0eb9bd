/**
 * Load of fifty analysts for a minute: on the product as started by `npm start`, then with one process per part, which
 * shows the cost of each part.
 *
 *   npm run bench -- load
 *   ANALYSTS=50 SECONDS=60 npm run bench -- load
 *   ANALYSTS=100,200,400 npm run bench -- load default
 *
 * With several numbers, that many analysts work at the same data one after another: the last line of each shows at which
 * number the answers become slow.
 */
import { startApp, startProcesses } from '@iodine/harness'
import { NO_LIMITS, quantile, startAiProvider } from '@iodine/test-kit'
import { type Sample, startAnalysts, type Target } from './lib/analysts.js'
import { cpuSeconds, descendants } from './lib/cpu.js'
import { mailsOf } from './lib/mails.js'
import { table } from './lib/measure.js'
import { startTestServer } from './lib/test-server.js'

const numbers = (process.env.ANALYSTS ?? '50').split(',').map(Number)
const ms = Number(process.env.SECONDS ?? 60) * 1_000
const AI_MS = 1_000
/** Returns whether a status is expected: a second vote is rejected by design. */
const isExpected = ({ route, status }: Sample) =>
  status < 300 || (status === 409 && route === 'POST /iods/:id/vote')

const percentiles = (samples: readonly Sample[]): void => {
  const routes = [...new Set(samples.map(({ route }) => route))]
  const timesOf = (route: string) => samples.filter(each => each.route === route).map(each => each.ms)
  const rows = routes
    .map(route => ({ route, times: timesOf(route) }))
    .sort((a, b) => quantile(b.times, 0.95) - quantile(a.times, 0.95))
    .map(({ route, times }) => [
      route,
      String(times.length),
      ...[0.5, 0.95, 0.99, 1].map(share => quantile(times, share).toFixed(0)),
    ])
  table(['route', 'requests', 'median ms', '95 %', '99 %', 'slowest'], rows)
  const errors = samples.filter(sample => !isExpected(sample))
  const all = samples.map(each => each.ms)
  console.log(
    `\n${samples.length} requests, ${(samples.length / (ms / 1_000)).toFixed(0)} a second, ${errors.length} errors, 95 % within ${quantile(all, 0.95).toFixed(0)} ms`,
  )
  for (const { route, status } of errors.slice(0, 10)) console.log(`  ${route}: ${status}`)
  if (errors.length > 0) process.exitCode = 1
}

type Processes = () => [string, number][]
type Analysts = Awaited<ReturnType<typeof startAnalysts>>

/** Runs the load of each number of analysts and prints times by route and CPU by process. */
const measure = async (title: string, target: Target, processes: Processes): Promise<void> => {
  const people = await startAnalysts(target, Math.max(...numbers))
  for (const number of numbers) await measureOf(`${title}, ${number} analysts`, people, number, processes)
  await people.close()
}

const measureOf = async (title: string, people: Analysts, number: number, processes: Processes) => {
  // Lets earlier writes settle and warms up the code.
  await people.work(5_000, number)
  const before = new Map(processes().map(([name, pid]) => [name, { pid, used: cpuSeconds(pid) }]))
  const samples = await people.work(ms, number)
  const used = [...before].map(([name, { pid, used }]) => ({ name, seconds: cpuSeconds(pid) - used }))
  console.log(`\n## ${title}\n`)
  percentiles(samples)
  const total = used.reduce((sum, { seconds }) => sum + seconds, 0)
  console.log('')
  table(
    ['process', 'CPU, s', 'share', 'of one core'],
    used
      .sort((a, b) => b.seconds - a.seconds)
      .map(({ name, seconds }) => [
        name,
        seconds.toFixed(1),
        `${((seconds / total) * 100).toFixed(0)} %`,
        `${((seconds / (ms / 1_000)) * 100).toFixed(0)} %`,
      ]),
  )
}

const which = process.argv[2]
if (which !== 'parts') {
  const ai = await startAiProvider()
  ai.always({ after: AI_MS, answer: 'simple' })
  const env = { OPENAI_BASE_URL: ai.url, ...NO_LIMITS, LOG_LEVEL: 'info' }
  const server = await startTestServer(startApp, { env })
  try {
    await measure('As npm start runs it', server, () => {
      const roles: [string, RegExp][] = [
        ['gateway, services and workers', /dev-stack\/dist\/main|start\.mjs/],
        ['embedded database', /dist\/(start\/)?isolated/],
        ['Redis', /redis-server|valkey-server \d/],
      ]
      const running = descendants(process.pid)
      return roles.flatMap(([name, pattern]): [string, number][] => {
        // Takes the busiest match: the command line of a waiting shell also contains the name.
        const [found] = running
          .filter(({ command }) => pattern.test(command))
          .map(({ pid }) => ({ pid, used: cpuSeconds(pid) }))
          .sort((a, b) => b.used - a.used)
        return found ? [[name, found.pid]] : []
      })
    })
  } finally {
    await server.stop()
    await ai.stop()
  }
}
if (which !== 'default') {
  const stack = await startProcesses({ aiAfterMs: AI_MS, env: { LOG_LEVEL: 'info' } })
  try {
    const parts = Object.values(stack.parts).filter(({ name }) => name !== 'smtp' && name !== 'ai')
    await measure('With a process a part', { url: stack.url, mail: mailsOf(stack) }, () =>
      parts.map(({ name, pid }) => [name, pid()]),
    )
  } finally {
    await stack.stop()
  }
}
