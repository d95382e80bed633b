// What the figures of the console are measured with.
import { readFileSync } from 'node:fs'

/** quantile returns a quantile of some numbers, between 0 and 1. */
export function quantile(numbers, q) {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]
}

/** frames counts the frames a second and the longest task in ms while act runs in a page. */
export async function frames(page, act) {
  await page.evaluate(() => {
    window.counted = { frames: 0, begun: performance.now(), longest: 0, on: true }
    window.observer = new PerformanceObserver((list) => list.getEntries().forEach((e) => (counted.longest = Math.max(counted.longest, e.duration))))
    observer.observe({ entryTypes: ['longtask'] })
    const frame = () => counted.on && (counted.frames++, requestAnimationFrame(frame))
    requestAnimationFrame(frame)
  })
  await act()
  return page.evaluate(() => {
    counted.on = false
    observer.disconnect()
    return { perSecond: (1000 * counted.frames) / (performance.now() - counted.begun), longest: counted.longest }
  })
}

/** heap returns what a page's JavaScript holds, in bytes, after what is not needed has gone. */
export async function heap(page) {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}

/** cpu returns the processor time that a process has used, in seconds. */
export function cpu(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Table prints a row as soon as it is known, with what is demanded of it. */
export class Table {
  constructor() {
    this.broken = 0
    console.log('| what | measured | demanded |\n|---|---|---|')
  }

  row(what, measured, demanded, good) {
    if (!good) this.broken++
    console.log(`| ${what} | ${measured}${good ? '' : ' **(missed)**'} | ${demanded} |`)
  }
}
