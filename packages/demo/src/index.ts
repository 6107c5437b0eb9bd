export { demoRecords } from './records.js'
