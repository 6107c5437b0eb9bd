export { endLeftover, keepProcess, type Leashed, leashed, onPath } from './leash.js'
export { lockFolder, lockHolder, processStart } from './lock.js'
export { freePorts, isLoopback, localUrl, portFault } from './net.js'
export { keptRedisUrl, type RedisOptions, type RedisServer, startRedis } from './redis.js'
