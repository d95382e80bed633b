import { plural } from './format'

const decimal = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

/** bytes says how large something is: "12 kB". */
export function bytes(n: number): string {
  let unit = 0
  while (n >= 1000 && unit < 4) {
    n /= 1000
    unit++
  }
  return `${decimal.format(n)} ${['B', 'kB', 'MB', 'GB', 'TB'][unit]}`
}

/** instant is a point in time as people write it here, to the minute. */
export const instant = (at: string | null | undefined) => (at ? new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' }) : '')

/** until says how long it is to an instant, in one unit: "in 5 min". */
export function until(at: string | null | undefined, now = Date.now()): string {
  if (!at) return ''
  const s = Math.round((Date.parse(at) - now) / 1000)
  if (s <= 0) return 'now'
  if (s < 60) return `in ${s} s`
  if (s < 3600) return `in ${Math.round(s / 60)} min`
  if (s < 86400) return `in ${Math.round(s / 3600)} h`
  return `in ${plural(Math.round(s / 86400), 'day')}`
}

/** dollars is an amount of money, exact enough to tell small ones apart. */
export const dollars = (n: number) => '$' + (n !== 0 && Math.abs(n) < 1 ? Number(n.toPrecision(3)) : n.toFixed(2))

/** share is a number from 0 to 1 in per cent. */
export const share = (n: number | null | undefined) => (n == null ? '' : `${Math.round(n * 100)} %`)
