export { lockFolder, lockHolder, processStart } from './lock.js'
export { freePorts, isLoopback, localUrl, portFault } from './net.js'
export { keptRedisUrl, type RedisOptions, type RedisServer, startRedis } from './redis.js'
export { endLeftover, keepProcess, onPath, type Supervised, startSupervised } from './supervised.js'
