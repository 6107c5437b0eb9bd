// Run by mongosh next to mongod, over loopback. Initiates the replica set and creates a user for each service with
// access
// to only that service's database. Idempotent, except for changed passwords. The first run needs no password:
// MongoDB's
// localhost exception permits the first user.
//   MONGO_MEMBERS               members of the replica set, host:port, comma-separated
//   MONGO_ROOT_PASSWORD         password of the user `root`
//   MONGO_{SERVICE}_PASSWORD    password of each service's user
/* global db, rs, sleep */
const { MONGO_MEMBERS, MONGO_ROOT_PASSWORD } = process.env
const admin = db.getSiblingDB('admin')

const signIn = () => {
  try {
    return admin.auth('root', MONGO_ROOT_PASSWORD).ok === 1
  } catch {
    return false
  }
}

const isRoot = signIn()
if (!admin.hello().setName)
  rs.initiate({
    _id: 'rs0',
    members: MONGO_MEMBERS.split(',').map((host, _id) => ({ _id, host })),
  })
while (!admin.hello().primary) sleep(500)
// A secondary replicates the users from the primary.
if (admin.hello().isWritablePrimary) {
  if (!isRoot) {
    admin.createUser({ user: 'root', pwd: MONGO_ROOT_PASSWORD, roles: ['root'] })
    signIn()
  }
  for (const [name, pwd] of Object.entries(process.env)) {
    const user = /^MONGO_(?!ROOT_)([A-Z]+)_PASSWORD$/.exec(name)?.[1].toLowerCase()
    if (!user) continue
    const rights = { pwd, roles: [{ role: 'readWrite', db: `iodine_${user}` }] }
    if (admin.getUser(user)) admin.updateUser(user, rights)
    else admin.createUser({ user, ...rights })
  }
}
print('MongoDB is set up')
