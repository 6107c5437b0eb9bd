import type { Connection } from '@iodine/service-kit'

/** Commands that take a write transaction of the database, also if they change nothing. */
const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify', 'commitTransaction'])

/** The part of the driver's events that is read. */
interface Started {
  commandName: string
  command: Record<string, unknown>
}

/**
 * Commands that a bed's service sends to its database while `run` runs, in their order, each with its collection:
 * `find iods`. Those of other work at that time are among them, but for those of the outbox.
 */
export const commandsOf = async (
  mongo: Connection,
  run: () => Promise<unknown>,
): Promise<{ all: string[]; writes: string[] }> => {
  const all: string[] = []
  const note = ({ commandName, command }: Started) => {
    const of = command[commandName]
    if (of === 'outbox') return
    all.push(typeof of === 'string' ? `${commandName} ${of}` : commandName)
  }
  const client = mongo.getClient()
  if (!client.options.monitorCommands) throw new Error('start the bed with monitorCommands')
  client.on('commandStarted', note)
  try {
    await run()
  } finally {
    client.off('commandStarted', note)
  }
  return { all, writes: all.filter(command => WRITES.has(command.split(' ')[0] as string)) }
}
