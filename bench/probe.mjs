// Loaded into the service with --import: tells the benchmark how long the event loop was held and how much memory there
// is.
import process from 'node:process'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import timers from 'node:timers'

const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()
let peak = 0
// Each look takes a tenth of a millisecond of the processor time that is measured.
timers.setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 100).unref()

process.on('message', (what) => {
  if (what === 'reset') {
    delay.reset()
    peak = process.memoryUsage.rss()
    process.send({})
  } else {
    const { user, system } = process.cpuUsage()
    const processorMs = (user + system) / 1000
    process.send({ processorMs, longestDelayMs: delay.max / 1e6, peakBytes: Math.max(peak, process.memoryUsage.rss()) })
  }
})
process.channel.unref()
