import type { Connection } from '@iodine/service-kit'

/** Commands that take a write transaction of the database, also if they change nothing. */
const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify', 'commitTransaction'])

/** The part of the driver's events that is read. */
interface StartedCommand {
  commandName: string
  command: Record<string, unknown>
}

/**
 * Records the commands that a fixture's service sends to its database while `run` runs, in order, each with its
 * collection: `find iods`. Includes those of concurrent work, except of the outbox.
 */
export const commandsOf = async (
  mongo: Connection,
  run: () => Promise<unknown>,
): Promise<{ all: string[]; writes: string[] }> => {
  const all: string[] = []
  const note = ({ commandName, command }: StartedCommand) => {
    const of = command[commandName]
    if (of === 'outbox') return
    all.push(typeof of === 'string' ? `${commandName} ${of}` : commandName)
  }
  const client = mongo.getClient()
  if (!client.options.monitorCommands) throw new Error('start the fixture with monitorCommands')
  client.on('commandStarted', note)
  try {
    await run()
  } finally {
    client.off('commandStarted', note)
  }
  return { all, writes: all.filter(command => WRITES.has(command.split(' ')[0] as string)) }
}
