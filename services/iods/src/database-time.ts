import type { Connection } from '@iodine/service-kit'

/** The time by the database's clock, in milliseconds. */
export const databaseTime = async (mongo: Connection): Promise<number> => {
  const { localTime } = await mongo.getClient().db().command({ hello: 1 })
  return localTime.getTime()
}
