import type { Connection } from '@iodine/service-kit'

/** Returns the time of the database's clock, in milliseconds. */
export const databaseTime = async (mongo: Connection): Promise<number> => {
  const { localTime } = await mongo.getClient().db().command({ hello: 1 })
  return localTime.getTime()
}
