// Run by mongosh beside mongod, over loopback: makes it a replica set and gives each service a user that reads and writes that
// service's database alone. Repeats change nothing but passwords. The first run needs no password: MongoDB lets loopback
// make the first user.
//   MONGO_MEMBERS               the set's members, host:port, separated by commas
//   MONGO_ROOT_PASSWORD         of the user `root`
//   MONGO_{SERVICE}_PASSWORD    of each service's user
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
// On a secondary there is nothing to do: what the primary has comes here.
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
